#include "cli/anywhere_with_progress.hpp"

#include <optional>

#include "base/clock.hpp"
#include "cli/progress_line.hpp"

namespace ndt::harness {
namespace {

/// A line on stderr once a search has taken a while.
class PlaceProgressLine {
 public:
  void show(double coverage) {
    if (since_.elapsed_us() < kQuietUs || (line_ && shown_.elapsed_us() < kEveryUs)) return;
    if (!line_) line_.emplace();
    line_->show({static_cast<std::size_t>(100 * coverage), 100, "places"});
    shown_ = Stopwatch();
  }

 private:
  static constexpr double kQuietUs = 1e6, kEveryUs = 1e5;
  Stopwatch since_, shown_;
  std::optional<ProgressLine> line_;
};

}  // namespace

AnywhereWithProgress::AnywhereWithProgress(const PointCloud& map, const AlignOptions& options, bool on_device,
                                           const ResolvedPrior& prior)
    : prior_(prior), search_(map, options, on_device, prior.place_cell_m), sight_lines_(map) {
  const initial_pose::PlacePyramid& pyramid = search_.pyramid();
  answer_.pyramid_us = search_.build_us();
  answer_.on_device = search_.on_device();
  answer_.kind = prior.kind;
  answer_.region = region_of(prior, pyramid);
  answer_.cell_m = pyramid.cell_m();
  answer_.pyramid_bytes = pyramid.bytes();
}

initial_pose::SearchResult AnywhereWithProgress::run(Aligner& aligner, const PointCloud& scan,
                                                     const ResolvedSearch& setting, const PerScan& limits) {
  PlaceProgressLine progress;
  initial_pose::AnywhereResult found = search_.run(aligner, scan, prior_, setting, limits, {}, &sight_lines_,
                                                   [&](double coverage) { progress.show(coverage); });
  answer_.coarse = std::move(found.coarse);
  answer_.coarse_us = found.coarse_us;
  return std::move(found.search);
}

}  // namespace ndt::harness
