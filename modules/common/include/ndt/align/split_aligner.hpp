// Several aligners with the same map as one: batches are split among them.
#pragma once

#include <memory>
#include <vector>

#include "ndt/align/aligner.hpp"

namespace ndt {

/// Splits the poses of a batch into shares of neighbours, one for each part, which align at the same time if
/// their submit() returns while they do: GPUs. Since a result depends neither on its place in a batch nor on
/// the other guesses, it does not depend on the split. Single alignments, evaluations and scores are the
/// first part's, and so is all of a scan on a device; a map on a device is refused.
class SplitAligner final : public Aligner {
 public:
  /// parts: at least one, made with the same options but for the device.
  explicit SplitAligner(std::vector<std::unique_ptr<Aligner>> parts);

  /// Builds the map on every part at the same time. A map that no part takes leaves all with the previous
  /// one. If only some fail, as for lack of memory, every other call throws std::logic_error until a map
  /// could be built on all. Throws std::invalid_argument for a map on a device: the others do not have it.
  MapInfo set_map(const Scan& map) override;
  /// Reserves each part's share of the poses; the first part reserves all, because it scores them.
  void reserve(std::size_t points, std::size_t poses) override;
  /// Announces the scan to every part; does nothing while a submission is not collected.
  void expect_scan() override;
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override;
  Evaluation evaluate(const Scan& scan, const Transform& pose, const PerScan& per_scan) override;
  std::vector<VoxelInfo> voxels() const override;
  /// The sums of the parts' traffic.
  Counters counters() const override;
  void submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) override;
  /// Holds the scan on every part, because each aligns a share of the poses.
  void hold(const PointCloud& scan, std::size_t poses) override;
  void collect(std::span<AlignResult> out) override;
  void score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out) override;

 private:
  Aligner& first(const char* call) const;
  /// The first part, for a call that drops what was submitted.
  Aligner& only_first(const char* call);

  std::vector<std::unique_ptr<Aligner>> parts_;
  bool same_map_ = true;
  std::vector<std::size_t> shares_;  ///< poses submitted to each part
};

}  // namespace ndt
