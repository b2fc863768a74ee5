#include "ndt/align/split_aligner.hpp"

#include <exception>
#include <future>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "ndt/core/formatted.hpp"

namespace ndt {
namespace {

/// Sizes of `parts` shares of n, which differ by one at most.
std::vector<std::size_t> shares_of(std::size_t n, std::size_t parts) {
  std::vector<std::size_t> shares(parts, n / parts);
  for (std::size_t k = 0; k < n % parts; ++k) ++shares[k];
  return shares;
}

void add(const Traffic& part, Traffic& total) {
  total.upload_bytes += part.upload_bytes, total.uploads += part.uploads;
  total.download_bytes += part.download_bytes, total.downloads += part.downloads;
  total.launches += part.launches, total.synchronisations += part.synchronisations;
  total.allocations += part.allocations;
  add(part.meetings, total.meetings);
  total.device_bytes += part.device_bytes, total.peak_device_bytes += part.peak_device_bytes;
}

}  // namespace

SplitAligner::SplitAligner(std::vector<std::unique_ptr<Aligner>> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw std::invalid_argument("SplitAligner: no part; give one at least");
}

Aligner& SplitAligner::first(const char* call) const {
  if (!same_map_)
    throw std::logic_error(formatted(
        "{}: set_map failed on one of several devices, so they have different maps; call set_map again",
        call));
  return *parts_.front();
}

Aligner& SplitAligner::only_first(const char* call) {
  shares_.clear();
  return first(call);
}

MapInfo SplitAligner::set_map(const Scan& map) {
  if (map.on_device())
    throw std::invalid_argument(
        "set_map: the map is on one device, and several share the batches (option devices); give it from the "
        "host's memory");
  const Turn turn(*this, "set_map");
  shares_.clear();
  const bool had_same = std::exchange(same_map_, false);
  std::vector<std::future<void>> others;
  for (std::size_t k = 1; k < parts_.size(); ++k)
    others.push_back(std::async(std::launch::async, [&part = *parts_[k], &map] { part.set_map(map); }));
  std::exception_ptr error;
  std::size_t failed = 0;
  MapInfo info;
  try {
    info = parts_.front()->set_map(map);
  } catch (...) {
    error = std::current_exception(), ++failed;
  }
  for (std::future<void>& other : others) try {
      other.get();
    } catch (...) {
      error = std::current_exception(), ++failed;
    }
  same_map_ = failed == 0 || (failed == parts_.size() && had_same);  // if all failed, all keep what they had
  if (error) std::rethrow_exception(error);
  return info;
}

void SplitAligner::reserve(std::size_t points, std::size_t poses) {
  const Turn turn(*this, "reserve");
  shares_.clear();
  first("reserve").reserve(points, poses);  // it scores all poses, too
  const std::vector<std::size_t> shares = shares_of(poses, parts_.size());
  for (std::size_t k = 1; k < parts_.size(); ++k) parts_[k]->reserve(points, shares[k]);
}

void SplitAligner::expect_scan() {
  const Turn turn(*this, "expect_scan");
  if (!shares_.empty()) return;
  for (const auto& part : parts_) part->expect_scan();
}

AlignResult SplitAligner::align(const Scan& scan, const Transform& guess, const PerScan& per_scan) {
  const Turn turn(*this, "align");
  return only_first("align").align(scan, guess, per_scan);
}

Evaluation SplitAligner::evaluate(const Scan& scan, const Transform& pose, const PerScan& per_scan) {
  const Turn turn(*this, "evaluate");
  return only_first("evaluate").evaluate(scan, pose, per_scan);
}

std::vector<VoxelInfo> SplitAligner::voxels() const {
  const Turn turn(*this, "voxels");
  return first("voxels").voxels();
}

Counters SplitAligner::counters() const {
  Counters total;
  for (const auto& part : parts_)
    if (const std::optional<Traffic> one = part->traffic()) {
      if (!total.traffic) total.traffic.emplace();
      add(*one, *total.traffic);
    }
  return total;
}

void SplitAligner::submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) {
  const Turn turn(*this, "submit");
  require_room_for_results(guesses.size(), guesses.size(), "submit");
  only_first("submit");
  // The other devices do not have a scan that is on one.
  std::vector<std::size_t> shares = shares_of(guesses.size(), scan.on_device() ? 1 : parts_.size());
  shares.resize(parts_.size());
  std::size_t begin = 0;
  for (std::size_t k = 0; k < parts_.size(); begin += shares[k++])
    if (shares[k] > 0 || k == 0) parts_[k]->submit(scan, guesses.subspan(begin, shares[k]), per_scan);
  shares_ = std::move(shares);
}

void SplitAligner::hold(const PointCloud& scan, std::size_t poses) {
  const Turn turn(*this, "hold");
  only_first("hold");
  const std::vector<std::size_t> shares = shares_of(poses, parts_.size());
  for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k]->hold(scan, shares[k]);
}

void SplitAligner::collect(std::span<AlignResult> out) {
  const Turn turn(*this, "collect");
  if (shares_.empty()) throw std::logic_error("collect: nothing was submitted");
  const std::vector<std::size_t> shares = std::exchange(shares_, {});
  require_room_for_results(std::accumulate(shares.begin(), shares.end(), std::size_t{0}), out.size(),
                           "collect");
  std::size_t begin = 0;
  for (std::size_t k = 0; k < parts_.size(); begin += shares[k++])
    if (shares[k] > 0 || k == 0) parts_[k]->collect(out.subspan(begin, shares[k]));
}

void SplitAligner::score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out) {
  const Turn turn(*this, "score_batch");
  only_first("score_batch").score_batch(scan, poses, out);
}

}  // namespace ndt
