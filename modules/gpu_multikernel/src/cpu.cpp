// multikernel_cpu: nothing but the backend.
#include "host_backend.hpp"
#include "ndt/gpu_multikernel/aligner.hpp"
#include "staged_aligner.hpp"

namespace ndt::gpu_multikernel {

void HostBackend::score(const ScanView& scan, const Gauss<float>& gauss, std::span<const Motion> motions,
                        std::span<Score> out) {
  const VoxelMapView map = view();
  launch(static_cast<int>(motions.size()), [&](int k) {
    double score = 0, nearest = 0;
    std::int64_t pairs = 0, matched = 0;
    for (int i = 0; i < scan.size; ++i) {
      PointSums<float> point;
      const int near = add_neighbours(map, gauss, move_point(motions[static_cast<std::size_t>(k)], scan.points[i]),
                                      SingleLane{}, point);
      score += static_cast<double>(point.score), nearest += static_cast<double>(point.largest);
      pairs += near, matched += near > 0 ? 1 : 0;
    }
    out[static_cast<std::size_t>(k)] = {score, scan.size > 0 ? score / scan.size : 0.0,
                                        matched > 0 ? nearest / static_cast<double>(matched) : 0.0, pairs};
  });
}

std::vector<float> HostBackend::point_scores(const ScanView& scan, const Gauss<float>& gauss, const Motion& motion) {
  const VoxelMapView map = view();
  std::vector<float> scores(static_cast<std::size_t>(scan.size));
  launch(scan.size,
         [&](int i) { scores[static_cast<std::size_t>(i)] = nearest_voxel_score(map, gauss, motion, scan.points[i]); });
  return scores;
}

std::unique_ptr<BatchAligner> make_cpu_aligner(const AlignOptions& options) {
  return std::make_unique<StagedAligner<HostBackend>>(options);
}

}  // namespace ndt::gpu_multikernel
