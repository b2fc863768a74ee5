// A search for the initial pose as the command line and presets give it: what was not given keeps its
// default.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ndt/initial_pose/search.hpp"
#include "registry/given_options.hpp"
#include "registry/registry.hpp"
#include "registry/search_prior.hpp"

namespace ndt::harness {

/// The name of one of initial_pose::strategies().
struct StrategyChoice {
  std::string strategy{initial_pose::default_strategy().name};
};
inline constexpr std::tuple kStrategyChoice{
    Option{"strategy", &StrategyChoice::strategy, Bounds::none(), "NAME", "how particles are aligned"}};

using SearchArguments = Given<kStrategyChoice, initial_pose::kSearchOptions>;

/// The search of a peer that has one of its own: no particles of ours, and nothing guides them.
inline constexpr initial_pose::Strategy kOwnSearch{"own", false, false, "in the peer's own way"};

struct ResolvedSearch {
  initial_pose::Strategy strategy;
  initial_pose::SearchOptions options;  ///< at_once is 1 unless the strategy makes rounds
  bool is_own() const { return strategy.name == kOwnSearch.name; }
};

/// Throws UsageError for an unknown name and for what the strategy or the method has no use for,
/// std::invalid_argument for a value out of range.
ResolvedSearch resolve(const SearchArguments& arguments);
/// Resolves likewise; for a peer, returns its own search, which of all arguments knows the seed alone.
ResolvedSearch resolve(const SearchArguments& arguments, std::string_view implementation);
/// Sets the bounds that were not given, unless the search is a peer's own.
void take_bounds(ResolvedSearch& setting, const initial_pose::ReliableBounds& bounds);

/// Refuses what a run cannot do: a prior in a box, the whole map for a method that searches about a guess,
/// and of a peer (its own search) method anywhere. Throws UsageError.
void require_for_a_run(const ResolvedSearch& setting, PriorKind prior, bool of_a_peer);

/// Searches in the resolved way, by any method but anywhere (search_prior.hpp); a peer's own way may be
/// in the whole map, and has no use for sight lines.
initial_pose::SearchResult run_search(Aligner& aligner, const PointCloud& scan, const ResolvedPrior& prior,
                                      const ResolvedSearch& setting, const PerScan& per_scan,
                                      const initial_pose::SearchObserver& observer = {},
                                      const initial_pose::SightLines* sight_lines = nullptr);

/// The implementation that runs a strategy: the one asked for or, for "auto", the first whose own strategy it
/// is. Throws UsageError for unknown names, NoDeviceError if it cannot run here.
const Implementation& choose_implementation(const initial_pose::Strategy& strategy, std::string_view name);
/// Whether the implementation aligns as many poses at once as the strategy gives it, or searches in its own
/// way.
bool can_run(const initial_pose::Strategy& strategy, const Implementation& entry);
/// Throws UsageError that names implementations which can, unless this one can.
void require_can_run(const initial_pose::Strategy& strategy, const Implementation& entry);
/// The reason why a peer that searches about a guess alone cannot search from this prior; else empty.
std::string why_not_from(PriorKind prior, const Implementation& entry);

std::vector<std::string> strategy_names();

}  // namespace ndt::harness
