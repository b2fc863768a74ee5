// pcl_ndt: PCL's registration under our interface, with outcomes that PCL itself does not distinguish.
#include "aligner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "matcher.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/align/option_table.hpp"
#include "ndt/align/usable_points.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/edge/conditioning.hpp"
#include "ndt/solve/loop_state.hpp"

namespace ndt::pcl_ndt {
namespace {

template <class Value>
void refuse(std::string_view name, const Value& value, std::string_view why) {
  throw std::invalid_argument(formatted("option {} = {}: pcl_ndt {}", name, value, why));
}

/// An option in which PCL has no choice: the values whose meaning it keeps, and what it does instead of other
/// values.
template <class Value>
struct Kept {
  Value AlignOptions::*member;
  std::vector<Value> values;
  std::string_view why;

  void require(const Option<AlignOptions, Value>& option, const AlignOptions& options) const {
    const Value value = options.*member;
    if (option.member != member || std::ranges::find(values, value) != values.end()) return;
    if constexpr (std::is_enum_v<Value>)
      refuse(option.name, to_string(value), why);
    else
      refuse(option.name, value, why);
  }
  /// Accepts options of other types.
  template <class Other>
  void require(const Other&, const AlignOptions&) const {}
};

/// Throws std::invalid_argument "option <name> = <value>: pcl_ndt ..." for the first option that is neither
/// at its default, which leaves the choice to PCL, nor at the value that PCL implements.
/// Refuses alike the inputs that come with a scan.
void require_offered(const AlignOptions& options) {
  const std::tuple kept{
      Kept<Neighbours>{
          &AlignOptions::neighbours, {Neighbours::radius}, "always searches the radius of one resolution"},
      Kept<LineSearch>{&AlignOptions::line_search,
                       {LineSearch::off, LineSearch::more_thuente},
                       "always runs PCL's own More-Thuente search"},
      Kept<StepRatios>{&AlignOptions::step_ratios, {StepRatios::fixed8}, "has no batched line search"},
      Kept<NewtonStep>{&AlignOptions::newton_step,
                       {NewtonStep::reference},
                       "solves with PCL's SVD and reverses a downhill step"},
      Kept<HessianForm>{
          &AlignOptions::hessian, {HessianForm::exact}, "has the Hessian of PCL 1.13, which is exact"},
      Kept<StepControl>{&AlignOptions::step_control, {StepControl::clamped}, "always runs PCL's own loop"},
      Kept<double>{&AlignOptions::regularisation_scale,
                   {AlignOptions{}.regularisation_scale, 0},
                   "has no regularisation"}};
  for_each_option(kAlignOptions, [&](const auto& option) {
    std::apply([&](const auto&... rule) { (rule.require(option, options), ...); }, kept);
  });
}

void require_offered(const PerScan& per_scan) {
  if (per_scan.regularisation) refuse("reg-x", per_scan.regularisation->x, "has no regularisation");
}

double per_point(double score, const FinitePoints& scan) {
  return scan.points.empty() ? 0.0 : score / static_cast<double>(scan.points.size());
}

/// The covariance start of PCL's voxels, whatever the options say.
constexpr CovarianceStart kCovarianceStart = CovarianceStart::zero;

Transform shifted(const Transform& t, const Vec3<double>& by) {
  return make_transform(rotation_of(t), translation_of(t) + by);
}

Stop stop_of(End end, const Conditioning& conditioning) {
  switch (end) {
    case End::step_rule_met: return conditioning.well_posed() ? Stop::converged : Stop::degenerate;
    case End::non_finite: return Stop::non_finite;
    case End::line_search_failed: return Stop::line_search_failed;
    case End::max_iterations:
      return conditioning.surfaces_fix_the_pose() ? Stop::max_iterations : Stop::degenerate;
    case End::interrupted: break;
  }
  return Stop::max_iterations;
}

class PclAligner final : public Aligner {
 public:
  explicit PclAligner(const AlignOptions& options) : options_(options) {}

  MapInfo set_map(const Scan& given) override {
    const Turn turn(*this, "set_map");
    const PointCloud& map = host_cloud(given, "set_map");
    require_map_precision(map.points, options_);
    // PCL works in float32 global coordinates. Those of a float cloud it gets bit for bit; the origin of a
    // double cloud, rounded to the voxel grid, stays with us.
    const auto to_grid = [&](double x) {
      return std::round(x / options_.resolution_m) * options_.resolution_m;
    };
    MapInfo info;
    info.origin = {to_grid(map.origin.x), to_grid(map.origin.y), to_grid(map.origin.z)};
    const FinitePoints finite = finite_points(map, info.origin);
    info.points = static_cast<std::int64_t>(finite.points.size());
    info.dropped_points = finite.dropped;
    if (finite.points.empty()) throw_no_valid_voxel(info, 0, options_);
    auto matcher = std::make_unique<Matcher>(finite.points, options_);
    info.voxels = static_cast<std::int64_t>(matcher->voxels().size());
    if (info.voxels == 0) throw_no_valid_voxel(info, matcher->occupied_voxels(), options_);
    AlignOptions of_surfaces = options_;
    of_surfaces.covariance_start = kCovarianceStart;
    surfaces_ = std::make_unique<VoxelMap>(map, of_surfaces);
    matcher_ = std::move(matcher);
    origin_ = info.origin;
    return info;
  }

  AlignResult align(const Scan& given, const Transform& guess, const PerScan& per_scan) override;

  Evaluation evaluate(const Scan& given, const Transform& pose, const PerScan& per_scan) override {
    const Turn turn(*this, "evaluate");
    require(pose, per_scan, "evaluate");
    const FinitePoints scan = scan_points(host_cloud(given, "evaluate"), options_, "evaluate");
    Evaluation out;
    out.derivative_pose = derivative_pose(pose);
    out.dropped_points = scan.dropped;
    if (scan.points.empty()) return out;
    matcher_->set_scan(scan.points);
    Sums sums = matcher_->sums_at(to_local(pose));
    out.score = sums.score;
    out.transform_probability = per_point(sums.score, scan);
    out.nvtl = sums.nvtl();
    out.correspondences = sums.pairs;
    out.points_with_voxels = sums.points_with_voxels;
    out.gradient = sums.gradient;
    out.hessian = sums.hessian;
    if (per_scan.point_scores) out.point_scores = std::move(sums.point_scores);
    return out;
  }

  std::vector<VoxelInfo> voxels() const override {
    const Turn turn(*this, "voxels");
    require_map("voxels");
    std::vector<VoxelInfo> table = matcher_->voxels();
    const double origin[3] = {origin_.x, origin_.y, origin_.z};
    for (VoxelInfo& row : table) {
      for (int axis = 0; axis < 3; ++axis)
        row.key[axis] += std::llround(origin[axis] / options_.resolution_m);
      row.centroid = row.centroid + origin_;
      row.mean = row.mean + origin_;
    }
    return table;
  }

 private:
  void require_map(const char* where) const {
    if (!matcher_) throw std::logic_error(std::string(where) + ": set_map was not called");
  }
  void require(const Transform& pose, const PerScan& per_scan, const char* where) const {
    require_map(where);
    require_rigid(pose, where);
    require_offered(per_scan);
  }
  Transform to_local(const Transform& t) const { return shifted(t, Vec3<double>{} - origin_); }
  Transform to_global(const Transform& t) const { return shifted(t, origin_); }

  void fill(AlignResult& result, const Path& path, const FinitePoints& scan);
  TracePoint trace_point(const Transform& local, double step, const FinitePoints& scan);

  AlignOptions options_;
  Vec3<double> origin_;
  std::unique_ptr<Matcher> matcher_;
  std::unique_ptr<VoxelMap> surfaces_;  // for the label only: PCL keeps no normals
};

TracePoint PclAligner::trace_point(const Transform& local, double step, const FinitePoints& scan) {
  const Sums sums = matcher_->sums_at(local);
  return {to_global(local), sums.score, per_point(sums.score, scan), sums.nvtl(), step};
}

AlignResult PclAligner::align(const Scan& given, const Transform& guess, const PerScan& per_scan) {
  const Turn turn(*this, "align");
  require(guess, per_scan, "align");
  const FinitePoints scan = scan_points(host_cloud(given, "align"), options_, "align");
  AlignResult result;
  result.map_from_scan = guess;
  result.derivative_pose = derivative_pose(guess);
  result.dropped_points = scan.dropped;
  result.newton_fallbacks = kNotCounted;
  if (scan.points.empty()) return result;
  matcher_->set_scan(scan.points);
  const Transform local_guess = to_local(guess);
  if (per_scan.trace) {
    result.trace.push_back(trace_point(local_guess, 0, scan));
    result.trace[0].map_from_scan = guess;
  }
  result.evaluations = 1;
  if (!matcher_->overlaps(local_guess)) return result;

  std::optional<Stop> ended = interruption(per_scan);
  Path path;
  path.end = End::interrupted;
  if (!ended)
    path = matcher_->align(local_guess, [&] { return (ended = interruption(per_scan)).has_value(); });
  fill(result, path, scan);
  if (path.end == End::interrupted && result.stop != Stop::no_overlap) result.stop = *ended;
  if (per_scan.trace)
    for (const Iteration& i : path.iterations) result.trace.push_back(trace_point(i.pose, i.step, scan));
  return result;
}

/// PCL's loop keeps neither score nor Hessian of the pose it returns, so one more pass finds them.
void PclAligner::fill(AlignResult& result, const Path& path, const FinitePoints& scan) {
  result.iterations = static_cast<int>(path.iterations.size());
  OscillationCounter oscillation;
  Vec3<double> position = translation_of(to_local(result.map_from_scan));
  for (const Iteration& i : path.iterations) {
    oscillation.add_step(translation_of(i.pose) - position);
    position = translation_of(i.pose);
  }
  result.oscillation_count = oscillation.longest();

  const bool moved = path.end != End::non_finite && !path.iterations.empty();
  const Transform local_guess = to_local(result.map_from_scan);
  const Transform last = moved ? path.iterations.back().pose : local_guess;
  Sums sums = matcher_->sums_at(last);
  result.evaluations = static_cast<int>(path.passes) + 1;
  const bool lost = moved && sums.pairs == 0;
  if (lost) {
    sums = matcher_->sums_at(local_guess);
    ++result.evaluations;
  }
  if (moved && !lost) result.map_from_scan = to_global(last);
  result.derivative_pose = derivative_pose(result.map_from_scan);
  result.correspondences = sums.pairs;
  result.score = sums.score;
  result.transform_probability = per_point(sums.score, scan);
  result.nvtl = sums.nvtl();
  result.hessian = sums.hessian;
  if (lost || path.end == End::non_finite) {
    result.stop = lost ? Stop::no_overlap : Stop::non_finite;
    return;
  }
  const double range_m = mean_range_m(scan.points);
  result.conditioning = conditioning_of(sums.hessian, range_m);
  if (path.end == End::step_rule_met || path.end == End::max_iterations) {
    const Transform in_surfaces = shifted(result.map_from_scan, Vec3<double>{} - surfaces_->origin());
    const ScanView view{scan.points.data(), static_cast<int>(scan.points.size())};
    const Pose pose = derivative_pose(in_surfaces);
    const SurfacePose at(pose, per_metre_at(range_m));
    const Gauss<double> gauss = make_gauss(options_.outlier_ratio, options_.resolution_m);
    const LevelMap map{surfaces_->view(),
                       {static_cast<float>(gauss.d1), static_cast<float>(gauss.d2)},
                       surfaces_->surfaces().data()};
    const SurfaceInformation information = surface_information(map, view, at);
    add_surfaces(surface_conditioning(information, pose), result.conditioning);
    if (path.end == End::step_rule_met)
      result.conditioning.push_sigmas =
          push_sigmas(map, view, information, at, kPushPerEdge * options_.resolution_m,
                      score_error(kCovarianceStart, options_.resolution_m));
  }
  result.laplace_covariance = laplace_covariance(sums.hessian);
  result.stop = stop_of(path.end, result.conditioning);
}

}  // namespace

std::unique_ptr<Aligner> make_aligner(const AlignOptions& options) {
  validate(options);
  require_offered(options);
  return std::make_unique<PclAligner>(options);
}

}  // namespace ndt::pcl_ndt
