// A search with method anywhere that tells on stderr how far it is, and keeps what is printed of it. Where a
// level scanner is not found, it tries one that hangs upside down.
#pragma once

#include "cli/common/print.hpp"
#include "data/kept_pyramid.hpp"
#include "registry/search_arguments.hpp"
#include "registry/search_prior.hpp"

namespace ndt::harness {

class AnywhereWithProgress {
 public:
  /// Both clouds outlive it. Builds what SightLines need of the map, and reads or builds the place pyramid.
  AnywhereWithProgress(const PointCloud& map, const AlignOptions& options, bool on_device,
                       const ResolvedPrior& prior);

  /// `aligner` has the same map. A prior that is a box or the map and tells no roll and pitch costs a second
  /// search where the first is not reliable: with a roll of pi. It counts only if it is reliable.
  initial_pose::SearchResult run(Aligner& aligner, const PointCloud& scan, const ResolvedSearch& setting,
                                 const PerScan& limits);
  /// Its coarse part is that of the last run.
  const AnywhereAnswer& answer() const { return answer_; }

 private:
  AnywhereWithProgress(KeptPyramid&& kept, const PointCloud& map, const AlignOptions& options, bool on_device,
                       const ResolvedPrior& prior);
  initial_pose::AnywhereResult searched(const ResolvedPrior& prior, Aligner& aligner, const PointCloud& scan,
                                        const ResolvedSearch& setting, const PerScan& limits);

  const ResolvedPrior& prior_;
  AnywhereSearch search_;
  initial_pose::SightLines sight_lines_;
  AnywhereAnswer answer_;
};

}  // namespace ndt::harness
