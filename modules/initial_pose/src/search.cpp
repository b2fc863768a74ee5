#include "ndt/initial_pose/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ndt/initial_pose/grid.hpp"
#include "ndt/initial_pose/tpe.hpp"

namespace ndt::initial_pose {
namespace {

/// Twice the bounds within which a pose counts as found.
constexpr double kModeM = 1.0, kModeRad = 5.0 * kPi / 180;

/// Times that the best is continued: with the reference's limits each takes it 3 m further.
constexpr int kContinuations = 3;

constexpr int kDrawnAhead = 30000;  // candidates: a few megabytes

/// Number of particles in the start-up, during which nothing is guided. A method without guidance has all of
/// them there.
int startup_of(const SearchOptions& options) {
  return options.method == Method::tpe ? std::min(options.startup, options.particles) : options.particles;
}

class Search {
 public:
  Search(Aligner& aligner, const PointCloud& scan, const Strategy& strategy, const SearchOptions& options,
         const PerScan& per_scan, const SearchObserver& observer)
      : aligner_(aligner),
        scan_(scan),
        strategy_(strategy),
        options_(options),
        per_scan_(per_scan),
        observer_(observer) {
    result_.particles.reserve(static_cast<std::size_t>(options.particles));
  }

  SearchResult guided(Tpe tpe) {
    const int startup = startup_of(options_);
    while (left() > 0 && !ended()) {
      const std::size_t first = result_.particles.size();
      const bool guides = tpe.guides();
      const std::vector<Pose> places =
          tpe.ask(done() >= startup ? round(strategy_.guided_at_once, options_.at_once)
                                    : round(strategy_.startup_at_once, startup - done()));
      const int aligned = static_cast<int>(places.size()), later = left() - aligned;
      const int soon = std::min(strategy_.guided_at_once ? options_.at_once : 1, later);
      // Draws as many candidates as the alignments leave time for.
      const int drawn = std::min(std::max(soon, std::min(aligned, later)), kDrawnAhead / options_.candidates);
      align(places, guides, [&] { tpe.draw_ahead(drawn, soon); });
      for (std::size_t k = first; k < result_.particles.size(); ++k) tell(tpe, result_.particles[k].result);
    }
    return finished();
  }

  SearchResult unguided(const std::vector<Pose>& places) {
    options_.particles = static_cast<int>(places.size());  // a lattice may have fewer places
    while (left() > 0 && !ended()) {
      const auto from = places.begin() + done();
      align({from, from + round(strategy_.startup_at_once, left())}, false, [] {});
    }
    return finished();
  }

 private:
  int done() const { return static_cast<int>(result_.particles.size()); }
  int left() const { return options_.particles - done(); }
  int round(bool at_once, int count) const { return at_once ? std::min(count, left()) : 1; }

  /// Whether the search must end. Only the first call is made past the deadline, so that there is a pose to
  /// return.
  bool ended() {
    if (done() > 0) result_.interrupted = interruption(per_scan_);
    return result_.interrupted.has_value();
  }

  /// `meanwhile` is work for this thread while a device aligns.
  template <class Work>
  void align(const std::vector<Pose>& starts, bool guides, Work&& meanwhile) {
    guesses_.clear();
    for (const Pose& start : starts) guesses_.push_back(to_transform(start));
    results_.resize(guesses_.size());
    aligner_.submit(scan_, guesses_, per_scan_);
    meanwhile();
    aligner_.collect(results_);
    for (std::size_t k = 0; k < starts.size(); ++k)
      result_.particles.push_back({starts[k], std::move(results_[k]), guides});
    if (observer_) observer_(result_.particles);
  }

  static bool meets_the_map(const AlignResult& result) {
    return result.stop != Stop::no_overlap && result.stop != Stop::non_finite;
  }

  /// Tells a result. A particle without overlap is told as worse than all others.
  static void tell(Tpe& tpe, const AlignResult& result) {
    tpe.tell(principal(derivative_pose(result.map_from_scan)),
             meets_the_map(result) ? result.transform_probability : -std::numeric_limits<double>::infinity());
  }

  double nvtl(std::size_t k) const {
    const double value = result_.particles[k].result.nvtl;
    return std::isnan(value) ? -1 : value;
  }

  void find_best() {
    for (std::size_t k = 1; k < result_.particles.size(); ++k)
      if (nvtl(k) > nvtl(result_.best)) result_.best = k;
  }

  /// Aligns the best from where the iteration limit ended it, because its score does not tell where it would
  /// come to rest.
  void continue_best() {
    for (int more = 0; more < kContinuations; ++more) {
      if (result_.best_particle().result.stop != Stop::max_iterations || ended()) return;
      align({principal(derivative_pose(result_.best_particle().result.map_from_scan))}, false, [] {});
      result_.best = result_.particles.size() - 1;
    }
  }

  /// Among the first `particles`. Those that have not come to rest count too: where none does, as along a
  /// wall, nothing tells the best from them.
  void find_runner_up(std::size_t particles, std::size_t continued) {
    const AlignResult& best = result_.best_particle().result;
    for (std::size_t k = 0; k < particles; ++k) {
      const AlignResult& result = result_.particles[k].result;
      if (k != continued && meets_the_map(result) &&
          is_another_mode(result.map_from_scan, best.map_from_scan) && nvtl(k) >= 0 &&
          (!result_.runner_up || nvtl(k) > nvtl(*result_.runner_up)))
        result_.runner_up = k;
    }
  }

  void judge() {
    const AlignResult& best = result_.best_particle().result;
    if (best.stop != Stop::converged || result_.ambiguous())
      result_.reliable = false;
    else if (options_.reliable_nvtl)
      result_.reliable = best.nvtl > *options_.reliable_nvtl;
  }

  SearchResult finished() {
    find_best();
    const std::size_t proposed = result_.particles.size(), first = result_.best;
    continue_best();
    find_runner_up(proposed, first);
    for (const Particle& particle : result_.particles)
      if (const Stop stop = particle.result.stop; stop == Stop::timeout || stop == Stop::cancelled)
        result_.interrupted = stop;
    judge();
    return std::move(result_);
  }

  Aligner& aligner_;
  const PointCloud& scan_;
  const Strategy& strategy_;
  SearchOptions options_;
  PerScan per_scan_;
  const SearchObserver& observer_;
  SearchResult result_;
  std::vector<Transform> guesses_;
  std::vector<AlignResult> results_;
};

}  // namespace

bool is_another_mode(const Transform& a, const Transform& b) {
  return translation_error_m(a, b) > kModeM || rotation_error_rad(a, b) > kModeRad;
}

double SearchResult::runner_up_ratio() const {
  const double best_nvtl = best_particle().result.nvtl;
  return runner_up && best_nvtl > 0 ? particles.at(*runner_up).result.nvtl / best_nvtl : 0;
}

SearchResult search(Aligner& aligner, const PointCloud& scan, const PosePrior& prior,
                    const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan,
                    const SearchObserver& observer) {
  validate(options);
  require_valid(prior);
  Search run(aligner, scan, strategy, options, per_scan, observer);
  if (options.method == Method::grid) return run.unguided(grid_places(prior, options.particles));
  return run.guided(Tpe(prior, {startup_of(options), options.candidates, options.seed}));
}

}  // namespace ndt::initial_pose
