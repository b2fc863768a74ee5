#include "ndt/initial_pose/search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "finishing.hpp"
#include "ndt/initial_pose/grid.hpp"
#include "ndt/initial_pose/tpe.hpp"

namespace ndt::initial_pose {
namespace {

/// Most particles that are continued at once.
constexpr int kLeaders = 16;
/// Times that a leader is continued: with the reference's limits each takes it 3 m further.
constexpr int kContinuations = 3;

/// How far beside its answer a search looks, as ndt::localization does (modules/localization/README.md).
constexpr double kBesideM = 1.0;

/// Most ends elsewhere that are looked from.
constexpr int kLooks = 16;

constexpr int kDrawnAhead = 30000;  // candidates: a few megabytes

/// Number of particles in the start-up, during which nothing is guided. A method without guidance has all of
/// them there.
int startup_of(const SearchOptions& options) {
  return options.method == Method::tpe ? std::min(options.startup, options.particles) : options.particles;
}

class Search {
 public:
  Search(Aligner& aligner, const PointCloud& scan, const Strategy& strategy, const SearchOptions& options,
         const PerScan& per_scan, const SearchObserver& observer, const SightLines* sight_lines)
      : aligner_(aligner),
        scan_(scan),
        strategy_(strategy),
        options_(options),
        per_scan_(per_scan),
        observer_(observer),
        sight_lines_(sight_lines) {
    result_.particles.reserve(static_cast<std::size_t>(options.particles));
  }

  SearchResult guided(Tpe tpe) {
    for (Round round = ask(tpe); !round.places.empty() && !ended(); round = ask(tpe)) {
      const std::size_t first = result_.particles.size();
      align(round.places, Role::proposed, round.guided,
            [&] { draw_ahead(tpe, static_cast<int>(round.places.size())); });
      for (std::size_t k = first; k < result_.particles.size(); ++k) tell(tpe, result_.particles[k].result);
    }
    return finished();
  }

  SearchResult unguided(const std::vector<Pose>& places) {
    options_.particles = static_cast<int>(places.size());  // a lattice may have fewer places
    while (left() > 0 && !ended()) {
      const auto from = places.begin() + done();
      align({from, from + round(strategy_.startup_at_once, left())}, Role::proposed, false, [] {});
    }
    return finished();
  }

 private:
  struct Round {
    std::vector<Pose> places;
    bool guided = false;
  };

  /// Gives the places of the next round, none after the last.
  Round ask(Tpe& tpe) const {
    const int startup = startup_of(options_) - tpe.asked(), left = options_.particles - tpe.asked();
    if (left == 0) return {};
    const bool guided = tpe.guides();
    const bool at_once = startup > 0 ? strategy_.startup_at_once : strategy_.guided_at_once;
    return {tpe.ask(at_once ? std::min(startup > 0 ? startup : options_.at_once, left) : 1), guided};
  }

  /// Draws as many candidates as `aligned` alignments leave time for, and no more than half of those that are
  /// left, because a GPU is done with the start-up before all are drawn.
  void draw_ahead(Tpe& tpe, int aligned) const {
    const int left = options_.particles - tpe.asked();
    const int soon = std::min(strategy_.guided_at_once ? options_.at_once : 1, left);
    const int drawn = std::max(soon, std::min(3 * aligned, (left + 1) / 2));
    tpe.draw_ahead(std::min(drawn, kDrawnAhead / options_.candidates), soon);
  }

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
  void align(const std::vector<Pose>& starts, Role role, bool guides, Work&& meanwhile) {
    guesses_.clear();
    for (const Pose& start : starts) guesses_.push_back(to_transform(start));
    results_.resize(guesses_.size());
    aligner_.submit(scan_, guesses_, per_scan_);
    meanwhile();
    aligner_.collect(results_);
    for (std::size_t k = 0; k < starts.size(); ++k)
      result_.particles.push_back({starts[k], std::move(results_[k]), guides, role});
    if (observer_) observer_(result_.particles);
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

  bool at_rest(std::size_t k) const { return stop_of(k) != Stop::max_iterations; }
  Stop stop_of(std::size_t k) const { return result_.particles[k].result.stop; }
  const Transform& end_of(std::size_t k) const { return result_.particles[k].result.map_from_scan; }

  /// Whether another proposal converged in the mode where the k-th has come to.
  bool joins_another(std::size_t k) const {
    return std::ranges::any_of(last_, [&](std::size_t other) {
      return other != last_[k] && stop_of(other) == Stop::converged &&
             !is_another_mode(end_of(other), end_of(last_[k]));
    });
  }

  /// Aligns the leaders on from where the iteration limit ended them, because their scores do not tell where
  /// they would come to rest.
  void finish_leaders() {
    last_.resize(result_.particles.size());
    std::iota(last_.begin(), last_.end(), std::size_t{0});
    std::vector<std::size_t> open = leaders(result_.particles, kLeaders);
    for (int more = 0; more < kContinuations; ++more) {
      std::erase_if(open, [&](std::size_t k) { return at_rest(last_[k]) || joins_another(k); });
      if (open.empty() || ended()) return;
      std::vector<Pose> starts;
      for (const std::size_t k : open) starts.push_back(principal(derivative_pose(end_of(last_[k]))));
      std::size_t next = result_.particles.size();
      align(starts, Role::continued, false, [] {});
      for (const std::size_t k : open) last_[k] = next++;
    }
  }

  /// What has come to rest is better than what has not; then by NVTL, the first on ties.
  void find_best() {
    const auto is_better = [&](std::size_t a, std::size_t b) {
      return at_rest(a) != at_rest(b) ? at_rest(a) : nvtl(a) > nvtl(b);
    };
    result_.best = last_[0];
    for (const std::size_t k : last_)
      if (is_better(k, result_.best)) result_.best = k;
  }

  void look_from_answer() {
    if (sight_lines_) result_.evidence.sight = look_from(end_of(result_.best));
  }

  Sight look_from(const Transform& map_from_scan) {
    if (!scan_rays_) scan_rays_.emplace(scan_);
    return sight_lines_->look(*scan_rays_, map_from_scan);
  }

  /// Along a free direction nothing is firm, unless what the scan sees holds it.
  bool may_be_firm() const {
    const Stop stop = stop_of(result_.best);
    return stop == Stop::converged || (stop == Stop::degenerate && is_clear(result_.evidence));
  }

  bool is_ruled_out(std::size_t k) {
    return is_clear(result_.evidence) && rules_out(look_from(end_of(k)), result_.evidence);
  }

  void look_beside() {
    const bool slides = stop_of(result_.best) == Stop::degenerate;
    if ((!slides && stop_of(result_.best) != Stop::converged) || ended()) return;
    if (slides) look_from_answer();
    if (!may_be_firm()) return;
    const std::size_t first = result_.particles.size();
    align(poses_around(end_of(result_.best), kBesideM), Role::beside, false, [&] {
      if (!slides) look_from_answer();
    });
    for (std::size_t k = first; k < result_.particles.size(); ++k) last_.push_back(k);
  }

  double goodness(std::size_t k) const {
    return initial_pose::goodness(result_.particles[k].result, result_.best_particle().result);
  }

  /// Those that have not come to rest count too: where none does, as along a wall, nothing tells the best
  /// from them.
  void find_runner_up() {
    std::vector<std::size_t> others;
    for (const std::size_t k : last_)
      if (meets_the_map(result_.particles[k].result) && nvtl(k) >= 0 &&
          is_another_mode(end_of(k), end_of(result_.best)))
        others.push_back(k);
    std::ranges::stable_sort(others, std::greater{}, [&](std::size_t k) { return goodness(k); });
    std::vector<std::size_t> ruled_out;
    for (const std::size_t k : others) {
      const bool is_known = std::ranges::any_of(
          ruled_out, [&](std::size_t other) { return !is_another_mode(end_of(k), end_of(other)); });
      if (is_known) continue;
      const bool may_look = goodness(k) >= kRivalRatio && std::ssize(ruled_out) < kLooks;
      if (!may_look || !is_ruled_out(k)) {
        result_.runner_up = k;
        return;
      }
      ruled_out.push_back(k);
    }
  }

  /// Whether an alignment from beside the answer tells how firm it is. Of a clear one, an end in its mode is
  /// held to what makes a rival elsewhere.
  bool counts_for_spread(std::size_t k) {
    if (!is_clear(result_.evidence) || !meets_the_map(result_.particles[k].result)) return true;
    const Transform& best = end_of(result_.best);
    if (translation_error_m(end_of(k), best) <= kSoftM || is_another_mode(end_of(k), best)) return true;
    return goodness(k) >= kRivalRatio && !is_ruled_out(k);
  }

  void gather_evidence() {
    Evidence& evidence = result_.evidence;
    const AlignResult& best = result_.best_particle().result;
    evidence.stop = best.stop;
    evidence.interrupted = result_.interrupted.has_value();
    evidence.nvtl = best.nvtl;
    if (result_.runner_up) evidence.runner_up_ratio = goodness(*result_.runner_up);
    for (std::size_t k = 0; k < last_.size(); ++k) {
      const Particle& particle = result_.particles[last_[k]];
      if (particle.role == Role::beside) {
        if (counts_for_spread(last_[k])) add_spread(best.map_from_scan, particle.result, evidence);
      } else if (meets_the_map(particle.result) && !is_another_mode(end_of(last_[k]), best.map_from_scan)) {
        ++evidence.agreeing;
      }
    }
    if (may_be_firm() && !evidence.interrupted)
      score_points(aligner_, scan_, best.map_from_scan, per_scan_, evidence);
  }

  SearchResult finished() {
    finish_leaders();
    find_best();
    look_beside();
    find_runner_up();
    for (const Particle& particle : result_.particles)
      if (const Stop stop = particle.result.stop; stop == Stop::timeout || stop == Stop::cancelled)
        result_.interrupted = stop;
    gather_evidence();
    result_.judgement = judge(result_.evidence, {options_.reliable_nvtl, options_.reliable_matched});
    if (result_.judgement.verdict != Verdict::unknown)
      result_.reliable = result_.judgement.verdict == Verdict::reliable;
    return std::move(result_);
  }

  Aligner& aligner_;
  const PointCloud& scan_;
  const Strategy& strategy_;
  SearchOptions options_;
  PerScan per_scan_;
  const SearchObserver& observer_;
  const SightLines* sight_lines_;
  std::optional<ScanRays> scan_rays_;  ///< once they were needed
  SearchResult result_;
  std::vector<Transform> guesses_;
  std::vector<AlignResult> results_;
  /// Of every proposed particle the last that continued it, or itself; then those from beside the answer.
  std::vector<std::size_t> last_;
};

}  // namespace

std::size_t SearchResult::proposed() const {
  return static_cast<std::size_t>(std::ranges::count(particles, Role::proposed, &Particle::role));
}

SearchResult search(Aligner& aligner, const PointCloud& scan, const PosePrior& prior,
                    const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan,
                    const SearchObserver& observer, const SightLines* sight_lines) {
  validate(options);
  require_valid(prior);
  if (options.method == Method::anywhere)
    throw std::invalid_argument("search: method anywhere needs a pyramid of the map; call search_anywhere");
  Search run(aligner, scan, strategy, options, per_scan, observer, sight_lines);
  if (options.method == Method::grid) return run.unguided(grid_places(prior, options.particles));
  return run.guided(Tpe(prior, {startup_of(options), options.candidates, options.seed}));
}

SearchResult search_places(Aligner& aligner, const PointCloud& scan, const std::vector<Pose>& places,
                           const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan,
                           const SearchObserver& observer, const SightLines* sight_lines) {
  validate(options);
  if (places.empty()) throw std::invalid_argument("search_places: no place; give one at least");
  return Search(aligner, scan, strategy, options, per_scan, observer, sight_lines).unguided(places);
}

}  // namespace ndt::initial_pose
