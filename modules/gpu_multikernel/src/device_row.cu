#include <algorithm>
#include <cstring>

#include "device_row.cuh"

namespace ndt::gpu_multikernel {

DeviceRow::DeviceRow()
    : staging_(context_),
      uploaded_(context_),
      outcomes_(context_),
      traces_(context_),
      score_scratch_(context_),
      scores_(context_),
      host_scores_(context_),
      point_scores_(context_) {}

MapInfo DeviceRow::set_map(const PointCloud& map, const AlignOptions& options) {
  transact([&] {
    auto built = std::make_unique<DeviceVoxelMap>(context_, map, options);
    context_.synchronise();
    map_ = std::move(built);
  });
  return map_->info();
}

DeviceScan DeviceRow::reserve_scan(const ScanView& scan, std::size_t poses, std::size_t ahead) {
  const std::size_t in_front = ahead + poses * sizeof(Transform),
                    bytes = in_front + static_cast<std::size_t>(scan.size) * sizeof(Point);
  staging_.reserve(bytes);
  uploaded_.reserve(bytes);
  return {reinterpret_cast<const Point*>(uploaded_.data() + in_front),
          reinterpret_cast<const Transform*>(uploaded_.data() + ahead)};
}

void DeviceRow::upload_scan(const ScanView& scan, std::span<const LoopRun> runs, const void* ahead,
                            std::size_t ahead_bytes) {
  char* at = staging_.data();
  const auto put = [&at](const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(at, from, bytes);
    at += bytes;
  };
  put(ahead, ahead_bytes);
  for (const LoopRun& one : runs) put(&one.local_guess, sizeof(Transform));
  put(scan.points, static_cast<std::size_t>(scan.size) * sizeof(Point));
  context_.upload(uploaded_.data(), staging_.data(), static_cast<std::size_t>(at - staging_.data()));
}

void DeviceRow::fetch_outcomes(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines,
                               std::size_t poses) {
  const std::size_t lines = poses * static_cast<std::size_t>(trace_lines);
  outcomes_.reserve(poses);
  traces_.reserve(lines);
  context_.download(outcomes_.data(), outcomes, poses * sizeof(LoopOutcome));
  context_.download(traces_.data(), traces, lines * sizeof(LoopTrace));
}

void DeviceRow::collect_outcomes(int trace_lines, std::span<LoopRun> runs) {
  context_.synchronise();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    runs[k].outcome = outcomes_[k];
    const LoopTrace* first = traces_.data() + k * static_cast<std::size_t>(trace_lines);
    if (trace_lines > 0) runs[k].trace.assign(first, first + runs[k].outcome.iterations + 1);
  }
}

void DeviceRow::score(const ScanView& scan, const Gauss<float>& gauss, std::span<const Motion> motions,
                      std::span<Score> out) {
  const std::size_t poses = motions.size(), motion_bytes = motions.size_bytes(),
                    points = static_cast<std::size_t>(scan.size) * sizeof(Point);
  transact([&] {
    staging_.reserve(motion_bytes + points);
    uploaded_.reserve(motion_bytes + points);
    scores_.reserve(poses);
    host_scores_.reserve(poses);
    std::memcpy(staging_.data(), motions.data(), motion_bytes);
    if (points > 0) std::memcpy(staging_.data() + motion_bytes, scan.points, points);
    context_.upload(uploaded_.data(), staging_.data(), motion_bytes + points);
    score_poses(context_, view(), gauss, {reinterpret_cast<const Point*>(uploaded_.data() + motion_bytes), scan.size},
                reinterpret_cast<const Motion*>(uploaded_.data()), static_cast<int>(poses), scores_.data(),
                score_scratch_);
    context_.download(host_scores_.data(), scores_.data(), poses * sizeof(PoseScore));
    context_.synchronise();
  });
  for (std::size_t k = 0; k < poses; ++k) {
    const PoseScore& s = host_scores_[k];
    out[k] = {s.score, scan.size > 0 ? s.score / scan.size : 0.0, s.nvtl(), s.pairs};
  }
}

std::vector<float> DeviceRow::point_scores(const ScanView& scan, const Gauss<float>& gauss, const Motion& motion) {
  std::vector<float> out(static_cast<std::size_t>(scan.size));
  transact([&] {
    const DeviceScan on_device = reserve_scan(scan, 0, 0);
    upload_scan(scan, {}, nullptr, 0);
    point_scores_.reserve(out.size());
    score_points(context_, view(), gauss, {on_device.points, scan.size}, motion, point_scores_.data());
    context_.download(out.data(), point_scores_.data(), out.size() * sizeof(float));
    context_.synchronise();
  });
  return out;
}

}  // namespace ndt::gpu_multikernel
