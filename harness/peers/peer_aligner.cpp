#include "peers/peer_aligner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "ndt/align/option_table.hpp"
#include "ndt/core/finite_points.hpp"
#include "peers/peer_requests.hpp"

namespace ndt::harness {
namespace {

Transform shift(const Vec3<double>& by) {
  Transform t;
  t(0, 3) = by.x, t(1, 3) = by.y, t(2, 3) = by.z;
  return t;
}

bool same_point(const auto& a, const auto& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// Moves a guess that was asked for already a little, so that no answer kept from the last time is asked for.
/// The move is far less than a method can tell, and more than a step of float32.
class Beside {
 public:
  Transform operator()(const Transform& guess) {
    const bool again = last_ && std::ranges::equal(last_->m, guess.m);
    last_ = guess;
    return again ? shift({by_m_(random_), by_m_(random_), by_m_(random_)}) * guess : guess;
  }

 private:
  static constexpr double kMostM = 0.0005;
  std::optional<Transform> last_;
  std::mt19937_64 random_{std::random_device{}()};  // a peer that could foresee it would keep answers on disk
  std::uniform_real_distribution<double> by_m_{-kMostM, kMostM};
};

class PeerAligner final : public Aligner, public TakesItsTime, public SearchesItself {
 public:
  PeerAligner(const PeerFile& peer, const AlignOptions& options)
      : peer_(peer),
        threads_(options.threads == 0 ? core_count() : options.threads),
        resolution_m_(options.resolution_m) {}

  MapInfo set_map(const Scan& given) override {
    const Turn turn(*this, "set_map");
    const PointCloud& map = host_cloud(given, "set_map");
    const FinitePoints finite = finite_points(map, map.origin);
    if (finite.points.empty()) throw InputError("set_map: the map has no finite point; give another map");
    requests_.reset();  // with all that it knows of another map
    scan_.reset();
    requests_ = std::make_unique<PeerRequests>(peer_, threads_, resolution_m_);
    spent_.map_us = requests_->hand_over("map", finite.points);
    map_origin_ = map.origin;
    return {static_cast<std::int64_t>(finite.points.size()), finite.dropped, kNotCounted, map.origin};
  }

  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override {
    const Turn turn(*this, "align");
    if (!peer_.aligns && !peer_.follows)
      refuse("searches for the initial pose and does not align; take another implementation");
    require_rigid(guess, "align");
    AlignResult result = without_scores(guess);
    if (!begin(host_cloud(scan, "align"), per_scan, result)) return result;
    const Aligned answer = requests_->align(peer_.aligns ? "align" : "follow", local(beside_(guess)));
    take(answer, result);
    result.stop = answer.converged ? Stop::converged : Stop::max_iterations;
    result.iterations = answer.iterations.value_or(kNotCounted);
    return result;
  }

  initial_pose::SearchResult search(const PointCloud& scan,
                                    const std::optional<initial_pose::PosePrior>& prior, std::uint64_t seed,
                                    const PerScan& per_scan) override {
    const Turn turn(*this, "search");
    if (!peer_.searches) refuse("does not search for the initial pose; take another implementation");
    if (!prior && !peer_.anywhere)
      refuse("requires a guess to search around; give one, or choose another implementation");
    if (prior) require_valid(*prior);
    const Pose start = prior ? prior->mean : Pose{};
    const Transform mean = to_transform(start);
    initial_pose::SearchResult found;
    found.particles = {{start, without_scores(mean), false}};
    AlignResult& result = found.particles[0].result;
    if (!begin(scan, per_scan, result)) {
      found.reliable = false;
      if (result.stop == Stop::cancelled) found.interrupted = result.stop;
      return found;
    }
    const Searched answer =
        prior ? requests_->search(local(beside_(mean)), *prior, seed) : requests_->search_anywhere(seed);
    take(answer, result);
    result.stop = Stop::converged;
    result.iterations = kNotCounted;
    found.reliable = answer.reliable;
    return found;
  }

  Evaluation evaluate(const Scan&, const Transform&, const PerScan&) override {
    refuse("gives no score of a pose; take another implementation");
  }
  std::vector<VoxelInfo> voxels() const override { refuse("has no voxels; take another implementation"); }

  Spent spent() const override {
    Spent spent = spent_;
    if (requests_) spent.peak_rss_bytes = requests_->peak_rss_bytes();
    return spent;
  }

 private:
  [[noreturn]] void refuse(const char* why) const {
    throw std::invalid_argument(fmt::format("{} {}", peer_.name, why));
  }

  static AlignResult without_scores(const Transform& guess) {
    AlignResult result;
    result.map_from_scan = guess;
    result.derivative_pose = derivative_pose(guess);
    result.iterations = 0;
    result.evaluations = result.oscillation_count = result.newton_fallbacks = kNotCounted;
    result.correspondences = kNotCounted;
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    result.score = result.transform_probability = result.nvtl = kUnknown;
    std::ranges::fill(result.hessian.m, kUnknown);
    return result;
  }

  /// Prepares the scan. False if there is nothing to do; the result then says why.
  bool begin(const PointCloud& scan, const PerScan& per_scan, AlignResult& result) {
    if (!requests_) throw std::logic_error("align: set_map was not called");
    if (per_scan.regularisation) refuse("has no regularisation; leave out --reg-x and --reg-y");
    if (per_scan.deadline) refuse("cannot be interrupted; leave out --timeout-ms");
    prepare(scan, result);
    if (scan_->points.empty()) return false;
    if (per_scan.stop.stop_requested()) result.stop = Stop::cancelled;
    return result.stop != Stop::cancelled;
  }

  /// Hands the scan over unless it is the last one.
  void prepare(const PointCloud& scan, AlignResult& result) {
    FinitePoints finite = finite_points(scan, scan.origin);
    result.dropped_points = finite.dropped;
    const auto same = [](const Point& a, const Point& b) { return same_point(a, b); };
    if (scan_ && same_point(scan_->origin, scan.origin) &&
        std::ranges::equal(scan_->points, finite.points, same))
      return;
    scan_.reset();
    if (!finite.points.empty()) {
      spent_.scan_us = requests_->hand_over("scan", finite.points);
      spent_.pipe_us = requests_->time_of_the_pipe();
    }
    scan_.emplace(PointCloud{scan.origin, std::move(finite.points)});
  }

  /// A pose between the frames of the clouds that the peer has.
  Transform local(const Transform& map_from_scan) const {
    return shift(Vec3<double>{} - map_origin_) * map_from_scan * shift(scan_->origin);
  }

  void take(const auto& answer, AlignResult& result) {
    result.map_from_scan = shift(map_origin_) * answer.pose * shift(Vec3<double>{} - scan_->origin);
    result.derivative_pose = derivative_pose(result.map_from_scan);
    spent_.align_us = answer.us;
  }

  const PeerFile& peer_;
  int threads_;
  double resolution_m_;
  std::unique_ptr<PeerRequests> requests_;
  Vec3<double> map_origin_;
  std::optional<PointCloud> scan_;  ///< that the peer has
  Beside beside_;
  Spent spent_;
};

}  // namespace

std::optional<TakesItsTime::Spent> spent_by(const Aligner& aligner) {
  const auto* own = dynamic_cast<const TakesItsTime*>(&aligner);
  return own == nullptr ? std::nullopt : std::optional(own->spent());
}

std::unique_ptr<Aligner> make_peer_aligner(const PeerFile& peer, const AlignOptions& options) {
  validate(options);
  AlignOptions standard = AlignOptions::autoware();
  standard.resolution_m = options.resolution_m;
  standard.tuning = options.tuning;  // a search sets it, and it is about our own kernels
  for_each_option(kAlignOptions, [&](const auto& option) {
    if (option.in_variants && options.*option.member != standard.*option.member)
      throw std::invalid_argument(
          fmt::format("{} has no option {}; its options stand in its TOML file", peer.name, option.name));
  });
  return std::make_unique<PeerAligner>(peer, options);
}

}  // namespace ndt::harness
