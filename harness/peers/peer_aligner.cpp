#include "peers/peer_aligner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/json_struct.hpp"
#include "ndt/align/option_table.hpp"
#include "ndt/core/limits.hpp"
#include "peers/peer_process.hpp"

namespace ndt::harness {
namespace {

struct Prepared {
  double us = 0;
};
constexpr auto fields_of(const Prepared*) { return std::tuple{Field{"us", &Prepared::us}}; }
constexpr const char* keys_of(const Prepared*) { return "us (a number)"; }

struct Aligned {
  Transform pose;
  bool converged = false;
  std::optional<int> iterations;
  double us = 0;
};
constexpr auto fields_of(const Aligned*) {
  return std::tuple{Field{"pose", &Aligned::pose}, Field{"converged", &Aligned::converged},
                    Field{"iterations", &Aligned::iterations}, Field{"us", &Aligned::us}};
}
constexpr const char* keys_of(const Aligned*) {
  return "pose (16 numbers, row by row), converged (true or false), iterations (a whole number; may be left "
         "out) and us (a number)";
}

/// A cloud's finite offsets as float32 x y z in a file for nobody else, which goes away with this.
class CloudFile {
 public:
  explicit CloudFile(const std::vector<Point>& points) {
    static_assert(sizeof(Point) == 3 * sizeof(float));
    std::error_code unknown;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(unknown);
    path_ = std::filesystem::absolute(folder / "ndt-peer-XXXXXX.f32").string();
    const int file = unknown ? -1 : ::mkostemps(path_.data(), 4, O_CLOEXEC);
    if (file < 0) throw cannot_be_written();
    const char* bytes = reinterpret_cast<const char*>(points.data());
    std::size_t left = points.size() * sizeof(Point);
    for (ssize_t n = 0; left > 0 && (n = ::write(file, bytes, left)) > 0; left -= static_cast<std::size_t>(n))
      bytes += n;
    ::close(file);
    if (left == 0) return;
    ::unlink(path_.c_str());
    throw cannot_be_written();
  }
  ~CloudFile() { ::unlink(path_.c_str()); }
  CloudFile(const CloudFile&) = delete;
  CloudFile& operator=(const CloudFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  InputError cannot_be_written() const {
    return refusal(printable_name(path_), "", "a cloud for a peer cannot be written",
                   "set TMPDIR to a folder with room");
  }
  std::string path_;
};

Transform shift(const Vec3<double>& by) {
  Transform t;
  t(0, 3) = by.x, t(1, 3) = by.y, t(2, 3) = by.z;
  return t;
}

/// A time above that outside by more than this is no rounding.
constexpr double kRoundingUs = 1;

class PeerAligner final : public Aligner, public TakesItsTime {
 public:
  PeerAligner(const PeerFile& peer, const AlignOptions& options)
      : peer_(peer), threads_(options.threads == 0 ? core_count() : options.threads),
        resolution_m_(options.resolution_m) {}

  MapInfo set_map(const PointCloud& map) override {
    const Turn turn(*this, "set_map");
    const FinitePoints finite = finite_points(map, map.origin);
    if (finite.points.empty()) throw InputError("set_map: the map has no finite point; give another map");
    process_.reset();  // with all that it knows of another map
    scan_.reset();
    process_ = std::make_unique<PeerProcess>(peer_);
    spent_.map_us = hand_over("map", finite.points);
    map_origin_ = map.origin;
    return {static_cast<std::int64_t>(finite.points.size()), finite.dropped, kNotCounted, map.origin};
  }

  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    const Turn turn(*this, "align");
    if (!process_) throw std::logic_error("align: set_map was not called");
    require_rigid(guess, "align");
    if (per_scan.regularisation) refuse("has no regularisation; leave out --reg-x and --reg-y");
    if (per_scan.deadline) refuse("cannot be interrupted; leave out --timeout-ms");
    AlignResult result = without_scores(guess);
    prepare(scan, result);
    if (scan_->points.empty() || per_scan.stop.stop_requested()) {
      if (!scan_->points.empty()) result.stop = Stop::cancelled;
      return result;
    }
    const Transform local = shift(Vec3<double>{} - map_origin_) * guess * shift(scan_->origin);
    const Aligned answer = align_honestly(local);
    result.map_from_scan = shift(map_origin_) * answer.pose * shift(Vec3<double>{} - scan_->origin);
    result.derivative_pose = derivative_pose(result.map_from_scan);
    result.stop = answer.converged ? Stop::converged : Stop::max_iterations;
    result.iterations = answer.iterations.value_or(kNotCounted);
    spent_.align_us = answer.us;
    return result;
  }

  Evaluation evaluate(const PointCloud&, const Transform&, const PerScan&) override {
    refuse("gives no score of a pose; take another implementation");
  }
  std::vector<VoxelInfo> voxels() const override { refuse("has no voxels; take another implementation"); }

  Spent spent() const override {
    Spent spent = spent_;
    if (process_) spent.peak_rss_bytes = process_->peak_rss_bytes();
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

  /// Hands the scan over unless it is the last one.
  void prepare(const PointCloud& scan, AlignResult& result) {
    FinitePoints finite = finite_points(scan, scan.origin);
    result.dropped_points = finite.dropped;
    const auto same = [](const auto& a, const auto& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
    if (scan_ && same(scan_->origin, scan.origin) && std::ranges::equal(scan_->points, finite.points, same))
      return;
    scan_.reset();
    if (!finite.points.empty()) {
      spent_.scan_us = hand_over("scan", finite.points);
      spent_.pipe_us = time_of_the_pipe();
    }
    scan_.emplace(PointCloud{scan.origin, std::move(finite.points)});
  }

  double hand_over(const char* what, const std::vector<Point>& points) {
    const CloudFile file(points);
    const PeerAnswer answer = process_->ask({{"do", what}, {"file", file.path()}, {"threads", threads_}, {"resolution_m", resolution_m_}});
    const double us = read<Prepared>(answer, what).us;
    require_possible(us, answer.outside_us, what);
    return us;
  }

  /// The shortest of some: what is above it is the scheduler.
  double time_of_the_pipe() {
    constexpr std::size_t kTimes = 11;
    std::vector<double> times_us;
    while (times_us.size() < kTimes) times_us.push_back(process_->ask({{"do", "nothing"}}).outside_us);
    return *std::ranges::min_element(times_us);
  }

  /// Time that passes outside and is not in the peer's own went to the pipe, to waiting for a core, or was
  /// hidden. What the scheduler does not own up to (a busy host's) it hardly takes five times in a row: then
  /// the peer left out work. It may hide a fifth; a verdict on times does not hang on that.
  Aligned align_honestly(const Transform& guess) {
    constexpr int kTries = 5;
    constexpr double kPipes = 6, kSlackUs = 300, kShare = 0.2;
    for (int tried = 1; true; ++tried) {
      const PeerAnswer answer =
          process_->ask({{"do", "align"}, {"guess", array_of(guess.m)}, {"threads", threads_}});
      const Aligned aligned = read<Aligned>(answer, "align");
      require_possible(aligned.us, answer.outside_us, "align");
      require_sensible(aligned);
      const double hidden_us = answer.outside_us - answer.waited_us - aligned.us;
      if (hidden_us <= kPipes * spent_.pipe_us + kSlackUs + kShare * aligned.us) return aligned;
      if (tried == kTries)
        throw process_->error(
            fmt::format("says that 'align' took {:.0f} us, but {:.0f} us passed here, and an empty request "
                        "takes {:.0f} us",
                        aligned.us, answer.outside_us, spent_.pipe_us),
            "take the time of the whole alignment");
    }
  }

  void require_sensible(const Aligned& aligned) const {
    if (const std::string defect = rigid_defect(aligned.pose); !defect.empty())
      throw process_->error("answered 'align' with a pose that is not rigid: " + defect,
                            "give a rotation and a translation, row by row");
    for (const int entry : {3, 7, 11})
      if (std::abs(aligned.pose.m[entry]) > Limits::kOriginM)
        throw process_->error(
            fmt::format("answered 'align' with a pose {:g} m away", std::abs(aligned.pose.m[entry])),
            "give the translation in metres, in the map's frame");
    if (aligned.iterations && *aligned.iterations < 0)
      throw process_->error(fmt::format("says that it made {} iterations", *aligned.iterations),
                            "count them, or leave the key out");
  }

  void require_possible(double us, double outside_us, const char* request) const {
    const bool least = std::string_view(request) == "align" ? us > 0 : us >= 0;
    if (least && us <= outside_us + kRoundingUs) return;
    throw process_->error(
        fmt::format("says that '{}' took {:g} us, but {:.0f} us passed here", request, us, outside_us),
        "take the time by a monotonic clock, in microseconds");
  }

  template <class Struct>
  Struct read(const PeerAnswer& answer, const char* request) const try {
    Struct out;
    read_object(answer.object, out);
    return out;
  } catch (const std::exception&) {  // it quotes the library, not the protocol
    throw process_->error(fmt::format("answered '{}' with '{}', where a key is missing or of another type",
                                      request, printable(answer.object.dump(), 80)),
                          fmt::format("give {}", keys_of(static_cast<const Struct*>(nullptr))));
  }

  const PeerFile& peer_;
  int threads_;
  double resolution_m_;
  std::unique_ptr<PeerProcess> process_;
  Vec3<double> map_origin_;
  std::optional<PointCloud> scan_;  ///< that the peer has
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
  for_each_option(kAlignOptions, [&](const auto& option) {
    if (option.in_variants && options.*option.member != standard.*option.member)
      throw std::invalid_argument(
          fmt::format("{} has no option {}; its options stand in its TOML file", peer.name, option.name));
  });
  return std::make_unique<PeerAligner>(peer, options);
}

}  // namespace ndt::harness
