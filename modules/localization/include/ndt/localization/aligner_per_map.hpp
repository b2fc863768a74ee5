// Maps that are built beside alignments for implementations without a resident_map(): an aligner for each
// map.
#pragma once

#include <functional>
#include <memory>

#include "ndt/align/aligner.hpp"

namespace ndt::localization {

/// Has an exchange_map() whatever aligners `make` gives: a map is an aligner that has it. Everything else is
/// the aligner's in force, so that counters() are that one's alone. An aligner whose map nobody holds any
/// more is used for the next.
class AlignerPerMap final : public Aligner {
 public:
  /// Gives an aligner without a map.
  using Make = std::function<std::unique_ptr<Aligner>()>;

  /// All aligners of `make` have the same options.
  explicit AlignerPerMap(Make make);
  ~AlignerPerMap() override;

  /// For one thread at a time, which may be another than the alignments'. Throws as Aligner::set_map() does.
  std::shared_ptr<const ReadyMap> build(const Scan& map);

  MapInfo set_map(const Scan& map) override;
  /// Takes maps of build().
  std::shared_ptr<const ReadyMap> exchange_map(std::shared_ptr<const ReadyMap> map) override;
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override;
  Evaluation evaluate(const Scan& scan, const Transform& pose, const PerScan& per_scan) override;
  std::vector<VoxelInfo> voxels() const override;
  Counters counters() const override;
  void submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) override;
  /// The aligner in force holds the scan, until another map is.
  void hold(const PointCloud& scan, std::size_t poses) override;
  std::span<Point> scan_memory(std::size_t points) override;
  HeldRawScan hold_raw(const Scan& raw, const RawScanUse& use, std::size_t poses) override;
  void collect(std::span<AlignResult> out) override;
  void score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out) override;
  void reserve(std::size_t points, std::size_t poses) override;
  void expect_scan() override;

 private:
  class Own;
  class Spares;

  Aligner& live(const char* call) const;

  Make make_;
  std::shared_ptr<Spares> spares_;
  std::shared_ptr<const Own> live_;
};

}  // namespace ndt::localization
