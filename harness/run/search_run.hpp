// One planned search, run and recorded.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "ndt/initial_pose/search.hpp"
#include "registry/search_arguments.hpp"
#include "registry/search_prior.hpp"
#include "run/measurement.hpp"

namespace ndt::harness {

class SearchRun {
 public:
  /// The measurement's guess is the prior's mean.
  SearchRun(const ResolvedSearch& setting, const Measurement& measurement);

  /// Searches, and keeps the results of all particles until take(). Of the aligner's map: `anywhere` for the
  /// method of that name, else null; `sight_lines`, null of a peer's.
  void run(Aligner& aligner, const PointCloud& scan, const PerScan& per_scan, AnywhereSearch* anywhere,
           const initial_pose::SightLines* sight_lines);
  /// Returns every particle's result, in order.
  std::vector<AlignResult> take();
  std::size_t best() const { return found_.best; }
  bool interrupted() const { return found_.interrupted.has_value(); }
  /// Writes what was found. `results`: as taken.
  void fill(Measurement& measurement, std::span<const AlignResult> results, bool with_paths) const;

 private:
  void fill_verdict(SearchRecord& search) const;
  std::vector<Improvement> improvements(const Measurement& measurement,
                                        std::span<const AlignResult> results) const;

  ResolvedSearch setting_;
  ResolvedPrior prior_;
  initial_pose::SearchResult found_;  ///< its particles' results are gone after take()
  struct Call {
    std::size_t particles = 0;  ///< number of particles after the call
    double us = 0;
  };
  std::vector<Call> calls_;
  std::optional<CoarseRecord> coarse_;
};

}  // namespace ndt::harness
