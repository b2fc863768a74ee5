#include <cstring>
#include <list>

#include "device_map.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/score/device_scoring.cuh"
#include "ndt/voxel/device_voxel_map.cuh"

namespace ndt {

struct DeviceMaps::Impl {
  cuda::Context context;
};

namespace {

template <class T>
std::vector<T> downloaded(cuda::Context& context, const T* device, std::size_t n) {
  std::vector<T> out(n);
  context.download(out.data(), device, n * sizeof(T));
  context.synchronise();
  return out;
}

template <class T>
cuda::DeviceBuffer<T> uploaded(cuda::Context& context, const T* host, std::size_t n) {
  cuda::DeviceBuffer<T> out(context, n);
  context.upload(out.data(), host, n * sizeof(T));
  return out;
}

/// All but the table and the surfaces.
DownloadedMap downloaded_view(cuda::Context& context, const DeviceVoxelMap& map) {
  DownloadedMap out;
  const VoxelMapView view = map.view();
  const auto voxels = static_cast<std::size_t>(view.voxel_count);
  out.info = map.info();
  out.voxels = downloaded(context, view.voxels, voxels);
  out.starts = downloaded(context, view.window.starts, view.window.cells() + 1);
  if (view.outside != nullptr) out.outside = downloaded(context, view.outside, view.outside_mask + 1);
  std::size_t listed = out.starts.back();
  for (const CellEntry& entry : out.outside) listed += entry.count;
  out.lists = downloaded(context, view.lists, listed + kNearVoxelPadding);
  out.device_view = view;
  return out;
}

DownloadedMap downloaded(cuda::Context& context, const DeviceVoxelMap& map) {
  DownloadedMap out = downloaded_view(context, map);
  out.table = map.voxel_table(context);
  out.surfaces = downloaded(context, map.surfaces(), out.voxels.size());
  return out;
}

bool same(const std::vector<VoxelInfo>& a, const std::vector<VoxelInfo>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].key[0] != b[i].key[0] || a[i].points != b[i].points || a[i].mean.x != b[i].mean.x ||
        a[i].covariance.zz != b[i].covariance.zz || a[i].inverse_covariance.xy != b[i].inverse_covariance.xy)
      return false;
  return true;
}

/// True if a build whose nth call fails throws.
bool throws_at(int nth, cuda::Context& context, const PointCloud& cloud, const AlignOptions& options,
               const VoxelMapLimits& limits, std::string& complaint) {
  bool thrown = false;
  cuda::inject_fault(nth, cudaErrorMemoryAllocation);
  try {
    const DeviceVoxelMap map(context, cloud, options, limits);
  } catch (const cuda::Error& e) {
    thrown = true;
    if (e.code() != cudaErrorMemoryAllocation) complaint = e.what();
  } catch (const std::exception& e) {
    complaint = e.what();
  }
  cuda::inject_fault(0, cudaSuccess);
  return thrown;
}

}  // namespace

VoxelMapView DownloadedMap::view() const {
  VoxelMapView view = device_view;
  view.voxels = voxels.data();
  view.lists = lists.data();
  view.window.starts = starts.data();
  view.outside = outside.empty() ? nullptr : outside.data();
  return view;
}

DeviceMaps::DeviceMaps() : impl_(std::make_unique<Impl>()) {}
DeviceMaps::~DeviceMaps() = default;

DownloadedMap DeviceMaps::build(const PointCloud& cloud, const AlignOptions& options,
                                const VoxelMapLimits& limits) {
  const DeviceVoxelMap map(impl_->context, cloud, options, limits);
  return downloaded(impl_->context, map);
}

DownloadedMap DeviceMaps::build_of_tiles(const Tiles& tiles, const AlignOptions& options,
                                         const VoxelMapLimits& limits) {
  cuda::Context& context = impl_->context;
  std::list<DeviceMapCloud> clouds;
  CloudFacts facts;
  for (const auto& [id, points] : tiles)
    facts.add(clouds.emplace_back(context, Vec3<double>{}, *points, options).facts());
  const Vec3<double> origin = facts.info(options.resolution_m).origin;
  std::list<DeviceTileVoxels> voxels;
  std::vector<const DeviceTileVoxels*> all;
  for (const DeviceMapCloud& cloud : clouds)
    all.push_back(&voxels.emplace_back(context, cloud.points(origin), options));
  return downloaded(context, DeviceVoxelMap(context, facts, all, options, limits));
}

std::vector<DownloadedMap> DeviceMaps::build_levels(const PointCloud& cloud,
                                                    const std::vector<AlignOptions>& levels) {
  cuda::Context& context = impl_->context;
  const DeviceMapCloud shared(context, cloud, levels.front());
  std::vector<DownloadedMap> out;
  for (const AlignOptions& level : levels)
    out.push_back(downloaded(context, DeviceVoxelMap(context, shared, level)));
  return out;
}

DownloadedMap DeviceMaps::build_windows(const PointCloud& cloud, const AlignOptions& options,
                                        const VoxelMapLimits& limits) {
  cuda::Context& context = impl_->context;
  const DeviceMapCloud points(context, cloud, options);
  return downloaded_view(context, DeviceVoxelMap::windows(context, points, options, limits));
}

std::int64_t DeviceMaps::uploads() const { return impl_->context.traffic().uploads; }

DownloadedMap DeviceMaps::build_from_device_points(const PointCloud& cloud, const AlignOptions& options) {
  cuda::Context& context = impl_->context;
  const auto points = uploaded(context, cloud.points.data(), cloud.size());
  const DeviceVoxelMap map(context, ScanView{points.data(), static_cast<int>(cloud.size())}, options);
  return downloaded(context, map);
}

FaultReport DeviceMaps::build_with_faults(const PointCloud& older, const PointCloud& cloud,
                                          const AlignOptions& options, const VoxelMapLimits& limits) {
  cuda::Context& context = impl_->context;
  const DeviceVoxelMap kept(context, older, options, limits);
  const std::vector<VoxelInfo> table = kept.voxel_table(context);
  const long long held = cuda::live_allocations();
  FaultReport report;
  while (throws_at(report.failures + 1, context, cloud, options, limits, report.complaint)) {
    ++report.failures;
    const std::string after = " after call " + std::to_string(report.failures) + " failed";
    if (cuda::live_allocations() != held) report.complaint = "device memory leaked" + after;
    if (!same(kept.voxel_table(context), table)) report.complaint = "the older map changed" + after;
    if (!report.complaint.empty() || report.failures > 10000) break;
  }
  if (cuda::live_allocations() != held) report.complaint += " memory leaked after a build that worked";
  return report;
}

std::vector<PoseScore> DeviceMaps::score_poses(const PointCloud& cloud, const AlignOptions& options,
                                               const VoxelMapLimits& limits, const Gauss<float>& gauss,
                                               const ScanView& scan, const std::vector<Motion>& motions) {
  cuda::Context& context = impl_->context;
  const DeviceVoxelMap map(context, cloud, options, limits);
  const auto points = uploaded(context, scan.points, static_cast<std::size_t>(scan.size));
  const auto device_motions = uploaded(context, motions.data(), motions.size());
  cuda::DeviceBuffer<PoseScore> out(context, motions.size());
  ScoreScratch scratch(context);
  ndt::score_poses(context, map.view(), gauss, {points.data(), scan.size}, device_motions.data(),
                   static_cast<int>(motions.size()), out.data(), scratch);
  return downloaded(context, out.data(), motions.size());
}

std::vector<float> DeviceMaps::score_points(const PointCloud& cloud, const AlignOptions& options,
                                            const Gauss<float>& gauss, const ScanView& scan,
                                            const Motion& motion) {
  cuda::Context& context = impl_->context;
  const DeviceVoxelMap map(context, cloud, options);
  const auto n = static_cast<std::size_t>(scan.size);
  const auto points = uploaded(context, scan.points, n);
  cuda::DeviceBuffer<float> out(context, n);
  ndt::score_points(context, map.view(), gauss, {points.data(), scan.size}, motion, out.data());
  return downloaded(context, out.data(), n);
}

}  // namespace ndt
