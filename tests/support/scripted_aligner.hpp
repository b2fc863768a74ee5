// The aligner of tests: it leaves every pose where it is, unless a test writes down other answers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ndt/align/aligner.hpp"

namespace ndt {

/// Base of the answers that tests write down; counts how it was asked.
class ScriptedAligner : public Aligner {
 public:
  std::vector<std::size_t> calls;  ///< poses of each submit()
  int announcements = 0;           ///< of scans

  MapInfo set_map(const Scan&) override { return {}; }
  AlignResult align(const Scan&, const Transform& guess, const PerScan& per_scan) override {
    AlignResult result;
    result.map_from_scan = guess;
    result.stop = interruption(per_scan).value_or(Stop::converged);
    return result;
  }
  Evaluation evaluate(const Scan&, const Transform&, const PerScan&) override { return {}; }
  std::vector<VoxelInfo> voxels() const override { return {}; }
  void expect_scan() override { ++announcements; }
  void submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) override {
    calls.push_back(guesses.size());
    Aligner::submit(scan, guesses, per_scan);
  }
};

}  // namespace ndt
