#include "ndt/align/aligner.hpp"

#include <stdexcept>
#include <utility>

#include "ndt/align/raw_scan.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {

std::optional<Stop> interruption(const PerScan& per_scan) {
  if (per_scan.stop.stop_requested()) return Stop::cancelled;
  if (per_scan.deadline && std::chrono::steady_clock::now() >= *per_scan.deadline) return Stop::timeout;
  return std::nullopt;
}

void throw_no_valid_voxel(const MapInfo& info, std::int64_t occupied_voxels, const AlignOptions& options) {
  throw NoValidVoxel(formatted(
      "set_map: no valid voxel: {} finite points ({} non-finite dropped) occupy {} voxels of {} m, none "
      "with {} points or "
      "more; give a denser map or a larger resolution",
      info.points, info.dropped_points, occupied_voxels, options.resolution_m, options.min_points));
}

void require_room_for_results(std::size_t poses, std::size_t results, const char* where) {
  if (poses > Limits::kBatch)
    throw std::invalid_argument(
        formatted("{}: {} poses, at most {} in one call; split them", where, poses, Limits::kBatch));
  if (poses != results)
    throw std::invalid_argument(formatted("{}: {} poses but room for {} results", where, poses, results));
}

void refuse_device_cloud(const char* where) {
  throw std::invalid_argument(
      formatted("{}: this implementation reads points from the host's memory, and these are on a device; "
                "copy them into a "
                "PointCloud, or take an implementation that runs on a GPU, such as persistent_cuda",
                where));
}

void refuse_without_held_scan(const char* where) {
  throw std::logic_error(
      formatted("{}: no scan is held; call hold() first, and again after a call with another scan", where));
}

void require_held_for(std::size_t poses, std::size_t most, const char* where) {
  if (poses > most)
    throw std::invalid_argument(
        formatted("{}: {} poses, and the scan is held for {} at most; give hold() more", where, poses, most));
}

std::unique_ptr<ResidentMap> Aligner::resident_map() const { return nullptr; }

std::shared_ptr<const ReadyMap> Aligner::exchange_map(std::shared_ptr<const ReadyMap>) {
  throw std::invalid_argument("exchange_map: this implementation has no resident_map(); use set_map()");
}

void Aligner::reserve(std::size_t, std::size_t) {}

Aligner::Turn::Turn(const Aligner& aligner, const char* call) : taken_(&aligner.turn_) {
  std::thread::id other;  // nobody
  if (taken_->compare_exchange_strong(other, std::this_thread::get_id(), std::memory_order_acquire)) return;
  if (other != std::this_thread::get_id())
    throw std::logic_error(formatted(
        "{}: the aligner is busy with another thread's call: one thread at a time; make one for each thread",
        call));
  taken_ = nullptr;
}

Aligner::Turn::~Turn() {
  if (taken_) taken_->store({}, std::memory_order_release);
}

const PointCloud& Aligner::host_cloud(const Scan& scan, const char* call, std::size_t poses) const {
  if (const PointCloud* cloud = scan.on_host()) return *cloud;
  if (scan.on_device()) refuse_device_cloud(call);
  if (!held_) refuse_without_held_scan(call);
  require_held_for(poses, held_->poses, call);
  return held_->scan;
}

void Aligner::align_batch(const Scan& scan, std::span<const Transform> guesses, std::span<AlignResult> out,
                          const PerScan& per_scan) {
  const Turn turn(*this, "align_batch");
  require_room_for_results(guesses.size(), out.size(), "align_batch");
  submit(scan, guesses, per_scan);
  collect(out);
}

void Aligner::submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) {
  const Turn turn(*this, "submit");
  submitted_ = Submitted{&host_cloud(scan, "submit", guesses.size()), guesses, per_scan};
}

void Aligner::hold(const PointCloud& scan, std::size_t poses) {
  const Turn turn(*this, "hold");
  held_ = Held{scan, poses};
}

HeldRawScan Aligner::hold_raw(const Scan& raw, const RawScanUse& use, std::size_t poses) {
  const Turn turn(*this, "hold_raw");
  return prepare_and_hold(raw, use, poses, {});
}

HeldRawScan Aligner::prepare_and_hold(const Scan& raw, const RawScanUse& use, std::size_t poses,
                                      const Workers& workers) {
  if (raw.is_held()) throw std::invalid_argument("hold_raw: the scan is held already; give a raw one");
  if (!raw_memory_) raw_memory_ = std::make_shared<RawScanMemory>();
  HeldRawScan out = prepare_raw(host_cloud(raw, "hold_raw"), use, *raw_memory_, workers);
  try {
    hold(out.prepared.cloud, poses);
    out.held = true;
  } catch (const InputError&) {
    // The caller aligns with the cloud and sees it again.
  }
  return out;
}

void Aligner::collect(std::span<AlignResult> out) {
  const Turn turn(*this, "collect");
  if (!submitted_) throw std::logic_error("collect: nothing was submitted");
  const Submitted work = *std::exchange(submitted_, std::nullopt);
  require_room_for_results(work.guesses.size(), out.size(), "collect");
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = align(*work.scan, work.guesses[k], work.per_scan);
}

void Aligner::score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out) {
  const Turn turn(*this, "score_batch");
  require_room_for_results(poses.size(), out.size(), "score_batch");
  const PointCloud& cloud = host_cloud(scan, "score_batch", poses.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Evaluation e = evaluate(cloud, poses[k]);
    out[k] = {e.score, e.transform_probability, e.nvtl, e.correspondences};
  }
}

}  // namespace ndt
