#include "ndt/initial_pose/search.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "around/finishing.hpp"
#include "around/search_parts.hpp"
#include "ndt/align/no_returns.hpp"
#include "ndt/initial_pose/grid.hpp"
#include "ndt/initial_pose/tpe.hpp"

namespace ndt::initial_pose {
namespace {

constexpr int kDrawnAhead = 30000;  // candidates: a few megabytes

/// Number of particles in the start-up, during which nothing is guided. A method without guidance has all of
/// them there.
int startup_of(const SearchOptions& options) {
  return options.method == Method::tpe ? std::min(options.startup, options.particles) : options.particles;
}

class Search {
 public:
  Search(Batches& batches, const Strategy& strategy, const SearchOptions& options)
      : batches_(batches), strategy_(strategy), options_(options) {}

  void guided(Tpe& tpe) {
    for (Round round = ask(tpe); !round.places.empty() && !batches_.ended(); round = ask(tpe)) {
      const std::size_t first = particles().size();
      batches_.align(round.places, Role::proposed, round.guided, [&] {
        batches_.looks.prepare();
        draw_ahead(tpe, static_cast<int>(round.places.size()));
        batches_.clock.lap(SearchWork::draw);
        if (tpe.asked() == options_.particles) look_ahead();
      });
      for (std::size_t k = first; k < particles().size(); ++k) tell(tpe, particles()[k].result);
      batches_.clock.lap(SearchWork::take);
    }
  }

  SearchResult unguided(const std::vector<Pose>& places) {
    for (auto from = places.begin(); from != places.end() && !batches_.ended();) {
      const auto end = strategy_.startup_at_once ? places.end() : from + 1;
      batches_.align({from, end}, Role::proposed, false, [&] { batches_.looks.prepare(); });
      from = end;
    }
    return conclude(batches_, options_);
  }

 private:
  struct Round {
    std::vector<Pose> places;
    bool guided = false;
  };

  const std::vector<Particle>& particles() const { return batches_.result.particles; }

  /// Gives the places of the next round, none after the last.
  Round ask(Tpe& tpe) {
    const int startup = startup_of(options_) - tpe.asked(), left = options_.particles - tpe.asked();
    if (left == 0) return {};
    batches_.clock.begin(startup > 0 ? SearchPart::startup : SearchPart::guided);
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

  /// Begins to look from the best particle so far, which is the answer unless one of the last surpasses it.
  void look_ahead() {
    if (!particles().empty())
      batches_.looks.begin(
          particles(),
          static_cast<std::size_t>(std::ranges::min_element(particles(), is_better) - particles().begin()));
  }

  Batches& batches_;
  const Strategy& strategy_;
  SearchOptions options_;
};

}  // namespace

const PointCloud& used_points(const PointCloud& scan, const SearchOptions& options, PointCloud& room) {
  return options.keep_no_returns ? scan : without_no_returns(scan, room);
}

int most_at_once(const Strategy& strategy, const SearchOptions& options) {
  return std::max({strategy.startup_at_once ? startup_of(options) : 1,
                   strategy.guided_at_once ? std::min(options.at_once, options.particles) : 1, kLeaders});
}

double told_score(const AlignResult& result) {
  return meets_the_map(result) ? result.transform_probability : -std::numeric_limits<double>::infinity();
}

void tell(Tpe& tpe, const AlignResult& result) {
  tpe.tell(principal(derivative_pose(result.map_from_scan)), told_score(result));
}

void propose(Batches& batches, const Strategy& strategy, const SearchOptions& options, Tpe& tpe) {
  Search(batches, strategy, options).guided(tpe);
}

std::size_t SearchResult::proposed() const {
  return static_cast<std::size_t>(std::ranges::count(particles, Role::proposed, &Particle::role));
}

SearchResult search(Aligner& aligner, const PointCloud& scan, const PosePrior& prior,
                    const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan,
                    const SearchObserver& observer, const SightLines* sight_lines) {
  validate(options);
  require_valid(prior);
  if (options.method == Method::anywhere)
    throw std::invalid_argument("search: method anywhere searches a whole map; use AnywhereSearch instead");
  PointCloud room;
  Batches batches(aligner, used_points(scan, options, room), per_scan, observer, sight_lines,
                  options.particles, most_at_once(strategy, options));
  if (options.method == Method::grid)
    return Search(batches, strategy, options).unguided(grid_places(prior, options.particles));
  Tpe tpe(prior, {startup_of(options), options.candidates, options.seed});
  propose(batches, strategy, options, tpe);
  return conclude(batches, options);
}

SearchResult search_places(Aligner& aligner, const PointCloud& scan, const std::vector<Pose>& places,
                           const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan,
                           const SearchObserver& observer, const SightLines* sight_lines) {
  validate(options);
  if (places.empty()) throw std::invalid_argument("search_places: no place; give one at least");
  const int count = static_cast<int>(places.size());
  PointCloud room;
  Batches batches(aligner, used_points(scan, options, room), per_scan, observer, sight_lines, count,
                  std::max(strategy.startup_at_once ? count : 1, kLeaders));
  return Search(batches, strategy, options).unguided(places);
}

}  // namespace ndt::initial_pose
