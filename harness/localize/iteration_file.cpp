#include "localize/iteration_file.hpp"

#include <cmath>

#include "base/json_fields.hpp"

namespace ndt::harness {
namespace {

using nlohmann::ordered_json;

/// Level `level` of a registration by itself.
AlignOptions alone(const AlignOptions& options, std::size_t level) {
  AlignOptions one = options;
  one.resolution_m = options.resolution_m * options.levels[level];
  one.levels = Levels();
  one.coarse_stride = 1;
  return one;
}

ordered_json numbers(const Pose& pose) { return {pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw}; }

/// The way between two poses, in the coordinates of the derivatives. Angles by the shorter way.
Pose step_between(const Pose& from, const Pose& to) {
  Pose step;
  for (int i = 0; i < 6; ++i) {
    const double difference = coordinate(to, i) - coordinate(from, i);
    coordinate(step, i) = i < 3 ? difference : std::remainder(difference, 2 * kPi);
  }
  return step;
}

/// As the reference counts oscillations: the positions go back by the way they came, within 26 degrees.
bool reverses(const Pose& before, const Pose& now) {
  const Vec3<double> a{before.x, before.y, before.z}, b{now.x, now.y, now.z};
  return dot(a, b) < -0.9 * std::sqrt(dot(a, a) * dot(b, b));
}

ordered_json iteration_json(std::size_t iteration, const TracePoint& point, const Evaluation& at) {
  ordered_json j;
  j["iteration"] = iteration;
  j["level"] = point.level;
  j["pose"] = numbers(derivative_pose(point.map_from_scan));
  j["score"] = point.score;
  j["transform_probability"] = point.transform_probability;
  j["nvtl"] = point.nvtl;
  j["pairs"] = at.correspondences;
  j["gradient"] = array_of(at.gradient.v);
  j["hessian"] = array_of(at.hessian.m);
  return j;
}

}  // namespace

IterationFile::IterationFile(const std::filesystem::path& folder, const AlignOptions& options,
                             const Make& make)
    : file_(folder / kName) {
  for (std::size_t level = 0; level < options.levels.size(); ++level)
    levels_.push_back(make(alone(options, level)));
}

void IterationFile::set_map(const PointCloud& map) {
  for (const std::unique_ptr<Aligner>& level : levels_) level->set_map(map);
}

void IterationFile::append(const LocalizedScan& scan) {
  if (!scan.report->aligned) return;
  PerScan per_scan;
  per_scan.regularisation = scan.report->regularisation;
  const std::vector<TracePoint>& trace = scan.report->aligned->trace;
  Pose last_step;
  for (std::size_t k = 0; k < trace.size(); ++k) {
    Aligner& level = *levels_.at(static_cast<std::size_t>(trace[k].level));
    const Evaluation at = level.evaluate(*scan.cloud, trace[k].map_from_scan, per_scan);
    ordered_json j = {{"frame", scan.frame}, {"scan", scan.scan->name}};
    j.update(iteration_json(k, trace[k], at));
    if (k + 1 < trace.size()) {
      const Pose step =
          step_between(derivative_pose(trace[k].map_from_scan), derivative_pose(trace[k + 1].map_from_scan));
      j["step"] = numbers(step);
      j["alpha"] = trace[k + 1].step_m;
      j["reversed"] = reverses(last_step, step);
      j["pose_after"] = numbers(derivative_pose(trace[k + 1].map_from_scan));
      if (trace[k + 1].step_m > 0) last_step = step;  // one that was taken back is none
    } else {
      for (const char* key : {"step", "alpha", "reversed", "pose_after"}) j[key] = nullptr;
    }
    if (has_radii(trace)) j["radius_m"] = trace[k].radius_m;
    file_.append(j.dump() + "\n");
  }
}

}  // namespace ndt::harness
