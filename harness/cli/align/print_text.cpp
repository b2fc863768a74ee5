#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "cli/common/print.hpp"
#include "ndt/align/usable_points.hpp"
#include "ndt/initial_pose/second_look.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {
namespace {

std::string line(std::span<const TextColumn> columns, std::span<const std::size_t> widths,
                 const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k > 0) out += ' ';
    out += columns[k].left ? fmt::format("{:<{}}", cells.at(k), widths[k])
                           : fmt::format("{:>{}}", cells.at(k), widths[k]);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

/// Tells what the outcome means and what to do about it.
const char* advice(Stop stop) {
  switch (stop) {
    case Stop::converged: return "the step rule was met and the optimum is well conditioned";
    case Stop::max_iterations:
      return "the limit came first: raise --max-iterations, give a nearer --guess, or search with "
             "initial-pose";
    case Stop::no_overlap:
      return "no scan point is near a voxel, the guess is returned: check --guess, and that both clouds are "
             "in metres";
    case Stop::degenerate:
      return "the weak direction is (nearly) free, or the place is wrong: trust the pose in the other "
             "directions at most";
    case Stop::non_finite:
      return "a sum was not finite, the guess is returned: check the clouds for huge coordinates";
    case Stop::line_search_failed:
      return "no step of epsilon / 2 or longer raised the score: the best pose found is returned";
    case Stop::cancelled: return "stopped on request, the pose so far is returned";
    case Stop::timeout: return "the deadline passed, the pose so far is returned";
  }
  return "";
}

std::string pose_text(const Transform& map_from_scan) {
  const Pose p = principal(derivative_pose(map_from_scan));
  const double degrees = 180 / kPi;
  return fmt::format("position         x {:.6f}  y {:.6f}  z {:.6f} m\n", p.x, p.y, p.z) +
         fmt::format(
             "angles           roll {:.6f}  pitch {:.6f}  yaw {:.6f} rad  ({:.4f}, {:.4f}, {:.4f} deg)\n",
             p.roll, p.pitch, p.yaw, p.roll * degrees, p.pitch * degrees, p.yaw * degrees);
}

/// Counts that the method does not reveal are left out.
std::string passes_text(const AlignResult& r) {
  std::string text;
  if (r.iterations != kNotCounted) text += fmt::format(" after {} iterations", r.iterations);
  if (r.evaluations != kNotCounted) text += fmt::format(", {} evaluations", r.evaluations);
  return text;
}

std::string score_text(double score, std::int64_t pairs, double transform_probability, double nvtl) {
  if (pairs == kNotCounted) return "score            none: this method has no score\n";
  return fmt::format("score            {:.6g} over {} point-voxel pairs\n", score, pairs) +
         fmt::format("per point        transform probability {:.6f}, NVTL {:.6f}\n", transform_probability,
                     nvtl);
}

std::string covariance_text(const std::optional<PositionCovariance>& c) {
  if (!c) return "";
  return fmt::format("deviation        x {:.4g}  y {:.4g} m (Laplace, correlation {:.3f})\n",
                     std::sqrt(c->xx), std::sqrt(c->yy), c->xy / std::sqrt(c->xx * c->yy));
}

std::string condition_text(const Conditioning& c) {
  if (!(c.condition_number > 0)) return "";
  std::string text =
      fmt::format("condition        {:.4g} (well posed up to {:g})", c.condition_number, kMaxConditionNumber);
  if (c.surface_condition_number > 0)
    text += fmt::format(", of the surfaces {:.4g} (up to {:g})", c.surface_condition_number,
                        kMaxSurfaceConditionNumber);
  text += "\n";
  if (c.push_sigmas > 0 || c.surface_condition_number > 0)
    text += fmt::format("pushed           loses {:.3g} standard errors of the score (held from {:g})\n",
                        c.push_sigmas, kLeastPushSigmas);
  if (c.condition_number <= kMaxConditionNumber && c.surface_condition_number <= kMaxSurfaceConditionNumber &&
      c.push_sigmas >= kLeastPushSigmas)
    return text;
  return text + fmt::format(
                    "weak direction   x y z roll pitch yaw = {:.3f} {:.3f} {:.3f} {:.3f} {:.3f} {:.3f} "
                    "(rotations in m)\n",
                    c.weak_direction[0], c.weak_direction[1], c.weak_direction[2], c.weak_direction[3],
                    c.weak_direction[4], c.weak_direction[5]);
}

std::string dropped_text(std::int64_t dropped) {
  if (dropped == 0) return "";
  return fmt::format(
      "dropped          {} scan points that are not finite, or beyond 1 km and 1,000 median ranges\n",
      dropped);
}

std::string extent_text(std::span<const VoxelInfo> voxels, double resolution_m) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] =
        std::ranges::minmax_element(voxels, {}, [=](const VoxelInfo& v) { return v.key[axis]; });
    text += fmt::format("{} {:.1f} to {:.1f} m{}", "xyz"[axis],
                        static_cast<double>(low->key[axis]) * resolution_m,
                        static_cast<double>(high->key[axis] + 1) * resolution_m, axis < 2 ? ", " : "");
  }
  return text;
}

std::vector<std::string> cells(const VoxelInfo& v) {
  std::vector<std::string> row = {fmt::format("{} {} {}", v.key[0], v.key[1], v.key[2]),
                                  fmt::format("{}", v.points)};
  for (const double x : {v.mean.x, v.mean.y, v.mean.z}) row.push_back(fmt::format("{:.3f}", x));
  for (const double x : {v.covariance.xx, v.covariance.yy, v.covariance.zz})
    row.push_back(fmt::format("{:.4f}", std::sqrt(x)));
  return row;
}

}  // namespace

std::string text_table(std::span<const TextColumn> columns, std::span<const std::vector<std::string>> rows) {
  std::vector<std::string> titles, units;
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns) {
    titles.push_back(column.title);
    units.push_back(column.unit);
    widths.push_back(std::max(column.title.size(), column.unit.size()));
  }
  for (const auto& row : rows)
    for (std::size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], row.at(k).size());

  std::string out = line(columns, widths, titles);
  if (std::ranges::any_of(units, [](const std::string& unit) { return !unit.empty(); }))
    out += line(columns, widths, units);
  for (const auto& row : rows) out += line(columns, widths, row);
  return out;
}

std::string second_look_text(const initial_pose::PoseJudgement& judgement) {
  if (!judgement.evidence || !judgement.evidence->matched) return "";
  const initial_pose::Evidence& evidence = *judgement.evidence;
  const std::string spread =
      std::isinf(*evidence.spread_m) ? "no pose of one of them" : fmt::format("{:.3f} m", *evidence.spread_m);
  const std::string sight = evidence.sight ? fmt::format("; {:.1f} % contradicts what it sees",
                                                         100 * evidence.sight->contradiction())
                                           : "";
  return fmt::format(
      "beside it        alignments from {:g} m away end within {}; {:.1f} % of the points match the map{}\n",
      initial_pose::kSecondLookM, spread, 100 * *evidence.matched, sight);
}

std::string filters_text(std::string_view cloud, const PreparedCloud& prepared) {
  if (prepared.steps.empty()) return "";
  std::vector<std::string> left;
  for (const FilterStep& step : prepared.steps)
    left.push_back(fmt::format("{} {}", step.filter, step.left_points));
  return fmt::format("{:<16} of {} points left: {}\n", fmt::format("{} filters", cloud),
                     prepared.given_points, fmt::join(left, ", "));
}

std::string to_text(const AlignResult& r) {
  return fmt::format("stop             {}{}: {}\n", to_string(r.stop), passes_text(r),
                     r.evaluations == kNotCounted ? "by its own rule" : advice(r.stop)) +
         pose_text(r.map_from_scan) +
         score_text(r.score, r.correspondences, r.transform_probability, r.nvtl) +
         condition_text(r.conditioning) + covariance_text(r.laplace_covariance) +
         (r.finish ? fmt::format("finish           step {:.3f} mm, score {:.6g} before it\n",
                                 1000 * r.finish->step_m, r.finish->score)
                   : "") +
         dropped_text(r.dropped_points);
}

std::string to_text(const Evaluation& e) {
  std::string text = score_text(e.score, e.correspondences, e.transform_probability, e.nvtl) +
                     fmt::format("with voxels      {} points\n", e.points_with_voxels) +
                     dropped_text(e.dropped_points);
  std::vector<std::vector<std::string>> rows;
  const char* const names[] = {"x", "y", "z", "roll", "pitch", "yaw"};
  for (int i = 0; i < 6; ++i) {
    rows.push_back({names[i], fmt::format("{:.6g}", e.gradient[i])});
    for (int j = 0; j < 6; ++j) rows.back().push_back(fmt::format("{:.5g}", e.hessian(i, j)));
  }
  return text + "derivatives      of the score, per m and per rad, angles " +
         fmt::format("{:.6f} {:.6f} {:.6f} rad\n", e.derivative_pose.roll, e.derivative_pose.pitch,
                     e.derivative_pose.yaw) +
         text_table(std::vector<TextColumn>{{"", "", true},
                                            {"gradient", ""},
                                            {"H x", ""},
                                            {"H y", ""},
                                            {"H z", ""},
                                            {"H roll", ""},
                                            {"H pitch", ""},
                                            {"H yaw", ""}},
                    rows);
}

std::string trace_text(const AlignResult& result) {
  const std::vector<TracePoint>& trace = result.trace;
  std::vector<std::vector<std::string>> rows;
  for (const TracePoint& point : trace) {
    const Vec3<double> t = translation_of(point.map_from_scan);
    rows.push_back({fmt::format("{}", rows.size()), fmt::format("{:.6f}", point.step_m),
                    fmt::format("{:.6f}", t.x), fmt::format("{:.6f}", t.y), fmt::format("{:.6f}", t.z),
                    fmt::format("{:.6g}", point.score), fmt::format("{:.6f}", point.nvtl)});
    if (!has_radii(trace)) continue;
    const bool windows = result.finish && &point == &trace.back();
    rows.back().push_back(windows ? "windows" : fmt::format("{}", point.level));
    rows.back().push_back(fmt::format("{:.6f}", point.radius_m));
  }
  std::vector<TextColumn> columns{{"iteration", ""}, {"step", "m"}, {"x", "m"},  {"y", "m"},
                                  {"z", "m"},        {"score", ""}, {"NVTL", ""}};
  if (has_radii(trace)) columns.insert(columns.end(), {{"level", ""}, {"radius", "m"}});
  return text_table(columns, rows);
}

std::string to_text(std::span<const VoxelInfo> voxels, double resolution_m) {
  constexpr std::size_t kShown = 10;
  std::vector<double> points;
  for (const VoxelInfo& v : voxels) points.push_back(v.points);
  std::vector<std::vector<std::string>> rows;
  for (const VoxelInfo& v : voxels.first(std::min(kShown, voxels.size()))) rows.push_back(cells(v));
  return fmt::format("voxels           {} of {:g} m\n", voxels.size(), resolution_m) +
         fmt::format("extent           {}\n", extent_text(voxels, resolution_m)) +
         fmt::format("points per voxel {:g} least, {:g} / {:g} / {:g} at 25 / 50 / 75 %, {:g} most\n",
                     quantile(points, 0), quantile(points, 0.25), quantile(points, 0.5),
                     quantile(points, 0.75), quantile(points, 1)) +
         fmt::format("first {}\n", rows.size()) +
         text_table(std::vector<TextColumn>{{"key", "x y z", true},
                                            {"points", ""},
                                            {"mean x", "m"},
                                            {"mean y", "m"},
                                            {"mean z", "m"},
                                            {"sd x", "m"},
                                            {"sd y", "m"},
                                            {"sd z", "m"}},
                    rows);
}

std::string time_text(const std::vector<double>& times_us) {
  if (times_us.size() == 1) return fmt::format("{:.3f} ms", times_us[0] / 1000);
  return fmt::format("{:.3f} ms (median of {}, {:.3f} to {:.3f})", median(times_us) / 1000, times_us.size(),
                     quantile(times_us, 0) / 1000, quantile(times_us, 1) / 1000);
}

void write_point_scores(const std::filesystem::path& file, const PointCloud& scan,
                        std::span<const float> scores) {
  const std::vector<std::size_t> indices = usable_indices(scan);
  if (indices.size() != scores.size())
    throw std::logic_error(
        fmt::format("write_point_scores: {} scores for {} usable points", scores.size(), indices.size()));
  const bool as_stored =
      scan.origin.x == 0 && scan.origin.y == 0 && scan.origin.z == 0;  // with a float's digits
  std::string text = "index,x_m,y_m,z_m,score";
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const auto add_line = [&](const auto& p) {
      fmt::format_to(std::back_inserter(text), "\n{},{},{},{},{}", indices[k], p.x, p.y, p.z, scores[k]);
    };
    const Point& offset = scan.points[indices[k]];
    if (as_stored)
      add_line(offset);
    else
      add_line(scan.origin + cast<double>(offset));
  }
  write_text(file, text);
}

}  // namespace ndt::harness
