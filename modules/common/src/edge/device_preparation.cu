#include <algorithm>
#include <cmath>
#include <cstring>

#include "device_preparation_steps.cuh"
#include "ndt/align/raw_scan.hpp"
#include "ndt/edge/device_preparation.cuh"

namespace ndt {
namespace {

unsigned count_blocks(cuda::Context& context) {
  int blocks = 0, cooperative = 0;
  context.call("cudaDeviceGetAttribute", [&] {
    return cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, context.device());
  });
  context.call("cudaDeviceGetAttribute", [&] {
    return cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, context.device());
  });
  return cooperative != 0 ? static_cast<unsigned>(blocks) : 0;
}

}  // namespace

DevicePreparation::DevicePreparation(cuda::Context& context, DeviceScan& scan)
    : context_(context),
      scan_(scan),
      staged_(context),
      staged_times_(context),
      prepared_(context),
      prepared_times_(context),
      motion_(context),
      found_(context),
      words_(context),
      arrays_(context),
      blocks_(std::min(kMostBlocks, count_blocks(context))) {}

bool DevicePreparation::takes(std::size_t points, const Vec3<double>& origin, const RawScanUse& use) const {
  const bool known = std::isfinite(origin.x) && std::isfinite(origin.y) && std::isfinite(origin.z);
  return blocks_ > 0 && points > 0 && points <= kMostPoints && known && use.filters.active();
}

std::span<Point> DevicePreparation::memory(std::size_t points) {
  staged_.reserve(room_for(points));
  return {staged_.data(), points};
}

RawPoints DevicePreparation::there(const DeviceCloud& scan) {
  if (scan.points != staged_.data()) return {open_cloud(context_, scan, scan.origin, "hold_raw"), nullptr};
  require_readable(scan, "hold_raw");
  context_.count_upload(scan.size * sizeof(Point));
  return {{reinterpret_cast<const char*>(staged_.data()),
           scan.stride_bytes,
           scan.x_bytes,
           scan.y_bytes,
           scan.z_bytes,
           {}},
          nullptr};
}

RawPoints DevicePreparation::staged(const PointCloud& scan) {
  std::memcpy(memory(scan.size()).data(), scan.points.data(), scan.size() * sizeof(Point));
  context_.count_upload(scan.size() * sizeof(Point));
  const StridedPoints points = packed_points(staged_.data());
  if (scan.times.size() != scan.size()) return {points, nullptr};
  staged_times_.reserve(room_for(scan.size()));
  std::memcpy(staged_times_.data(), scan.times.data(), scan.size() * sizeof(float));
  context_.count_upload(scan.size() * sizeof(float));
  return {points, staged_times_.data()};
}

std::optional<HeldRawScan> DevicePreparation::prepare(const RawPoints& raw, const Vec3<double>& origin,
                                                      unsigned n, const RawScanUse& use, Point* packed_room,
                                                      CopiedPoints& chosen) {
  const ScanPreparation& filters = use.filters;
  if (use.motion != nullptr && raw.times == nullptr) return std::nullopt;
  const bool has_grid = filters.voxel_leaf_m.has_value();
  const std::size_t room = room_for(n);
  arrays_.reserve({room, room, room, room, room, room, kMostLeaves / kLeavesOfAGroup, kMostBlocks,
                   sizeof(PreparationCounts) + kCopyBuckets * sizeof(unsigned)});
  prepared_.reserve(room), motion_.reserve(1), found_.reserve(1);
  if (raw.times != nullptr) prepared_times_.reserve(room);
  if (use.motion != nullptr) context_.upload_copy(motion_.data(), use.motion, sizeof *use.motion);
  words_.reserve(kMostLeaves / 32);
  if (!words_are_zero_) context_.fill_bytes(words_.data(), 0, kMostLeaves / 8);
  const auto [kept, ranges, numbers, leaves, sampled, out, ranks, slices, counts] = arrays_.data();
  const Job job{raw.points,
                raw.times,
                n,
                origin,
                use.keep_no_returns,
                use.motion != nullptr ? motion_.data() : nullptr,
                PointFilter(filters),
                has_grid,
                LeafUnits(filters.voxel_leaf_m.value_or(1), n, origin),
                static_cast<unsigned>(std::min<std::int64_t>(filters.sample_points.value_or(kNone), kNone)),
                SampleKeys(filters.sample_seed),
                {kept, ranges, numbers, leaves, sampled, out, words_.data(), ranks, slices,
                 reinterpret_cast<unsigned*>(counts + sizeof(PreparationCounts)),
                 reinterpret_cast<PreparationCounts*>(counts)}};
  words_are_zero_ = false;
  context_.fill_bytes(job.at.counts, 0, sizeof(PreparationCounts) + kCopyBuckets * sizeof(unsigned));
  context_.launch(prepare_kernel, {.blocks = blocks_, .threads = kThreads, .cooperative = true}, job,
                  HostRoom{prepared_.data(), prepared_times_.data(), found_.data()});
  const std::optional<CopiedPoints> packed =
      scan_.take_packed(out, origin, n, &job.at.counts->size, packed_room);
  words_are_zero_ = true;
  const PreparationCounts& found = found_[0];
  context_.count_download(sizeof found + found.size * sizeof(Point));
  if (!packed || found.has_copies || found.not_numbered || are_many(found.shell, found.finite))
    return std::nullopt;
  chosen = *packed;
  HeldRawScan prepared = report(found, n, origin, filters);
  if (raw.times != nullptr)
    prepared.prepared.cloud.times.assign(prepared_times_.data(), prepared_times_.data() + found.size);
  return prepared;
}

HeldRawScan DevicePreparation::report(const PreparationCounts& found, unsigned n, const Vec3<double>& origin,
                                      const ScanPreparation& filters) const {
  HeldRawScan out;
  out.held = out.by_device = true;
  out.no_returns.zero = found.no_returns[static_cast<int>(NoReturn::zero)];
  out.no_returns.sentinel = found.no_returns[static_cast<int>(NoReturn::sentinel)];
  PreparedCloud& prepared = out.prepared;
  prepared.given_points = n - out.no_returns.total();
  prepared.cloud.origin = origin;
  prepared.cloud.points.assign(prepared_.data(), prepared_.data() + found.size);
  RemovalCounts removed;
  std::copy_n(found.removed, kRemovals, removed.begin());
  prepared.steps = steps_of(filters, prepared.given_points, removed, found.leaves, found.size);
  return out;
}

}  // namespace ndt
