#include "registry/search_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/errors.hpp"
#include "peers/peer_aligner.hpp"
#include "peers/peers.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Method;
using initial_pose::SearchOptions;
using initial_pose::Strategy;

const Strategy& strategy_called(const std::string& name) {
  const Strategy* const found = initial_pose::strategy_named(name);
  if (found == nullptr) throw unknown_name("strategy", name, strategy_names());
  return *found;
}

/// The implementations that suit a strategy, in report order; none: any will do.
std::vector<std::string_view> implementations_of(const Strategy& strategy) {
  std::vector<std::string_view> names;
  for (const Implementation& entry : implementations())
    if (suits(entry, strategy)) names.push_back(entry.name);
  return names;
}

}  // namespace

ResolvedSearch resolve(const SearchArguments& a) {
  StrategyChoice choice;
  a.apply_to(choice);
  ResolvedSearch setting{strategy_called(choice.strategy), {}};
  SearchOptions& options = setting.options;
  a.apply_to(options);
  const auto &startup = a[&SearchOptions::startup], &at_once = a[&SearchOptions::at_once];
  if (!startup) options.startup = std::min(options.startup, options.particles);
  if (!setting.strategy.guided_at_once) options.at_once = 1;
  validate(options);
  if (at_once && *at_once != options.at_once)
    throw UsageError(
        fmt::format("at-once = {}: strategy {} guides one particle at a time; take batched_persistent",
                    *at_once, setting.strategy.name));
  if (options.method != Method::tpe && (startup || a[&SearchOptions::candidates] || at_once))
    throw UsageError(fmt::format("startup, candidates and at-once are for method tpe; {} guides no particle",
                                 to_string(options.method)));
  if (options.startup > options.particles)
    throw UsageError(
        fmt::format("startup = {}: more than the {} particles", options.startup, options.particles));
  return setting;
}

ResolvedSearch resolve(const SearchArguments& arguments, std::string_view implementation) {
  if (!is_peer_name(implementation)) return resolve(arguments);
  ResolvedSearch own{kOwnSearch, {}};
  own.options.particles = own.options.startup = own.options.candidates = 0;
  own.options.at_once = 1;
  own.options.seed = arguments[&SearchOptions::seed].value_or(own.options.seed);
  return own;
}

void take_bounds(ResolvedSearch& setting, const initial_pose::ReliableBounds& bounds) {
  if (setting.is_own()) return;
  SearchOptions& options = setting.options;
  if (!options.reliable_nvtl) options.reliable_nvtl = bounds.nvtl;
  if (!options.reliable_matched) options.reliable_matched = bounds.matched;
}

void require_for_a_run(const ResolvedSearch& setting, PriorKind prior, bool of_a_peer) {
  if (prior == PriorKind::box)
    throw UsageError("prior box is for ndt-bench initial-pose; in a run take pose, with sigma, or map");
  const bool anywhere = setting.options.method == Method::anywhere;
  if (of_a_peer && anywhere)
    throw UsageError(
        "a peer searches in its own way, and method anywhere is ours; name the peer in a search without a "
        "method");
  if (prior == PriorKind::map && !anywhere && !of_a_peer)
    throw UsageError(
        fmt::format("method {} searches about a guess; for prior map take method anywhere, or leave prior "
                    "out and give sigma",
                    to_string(setting.options.method)));
}

initial_pose::SearchResult run_search(Aligner& aligner, const PointCloud& scan, const ResolvedPrior& prior,
                                      const ResolvedSearch& setting, const PerScan& per_scan,
                                      const initial_pose::SearchObserver& observer,
                                      const initial_pose::SightLines* sight_lines) {
  if (!setting.is_own())
    return initial_pose::search(aligner, scan, prior.pose, setting.strategy, setting.options, per_scan,
                                observer, sight_lines);
  std::optional<initial_pose::PosePrior> about;
  if (prior.kind == PriorKind::pose) about = prior.pose;
  return dynamic_cast<SearchesItself&>(aligner).search(scan, about, setting.options.seed, per_scan);
}

const Implementation& choose_implementation(const Strategy& strategy, std::string_view name) {
  if (name == kAuto)
    if (const Implementation* const entry = first_suited(implementations(), strategy)) return *entry;
  return choose_implementation(name);
}

bool can_run(const Strategy& strategy, const Implementation& entry) {
  return entry.own_process ? searches_itself(entry) : is_able(entry, strategy);
}

void require_can_run(const Strategy& strategy, const Implementation& entry) {
  if (entry.own_process && !searches_itself(entry))
    throw UsageError(fmt::format(
        "{} has no search of its own and gives no score, which ours needs; take another implementation",
        entry.name));
  if (!can_run(strategy, entry))
    throw UsageError(
        fmt::format("{} aligns one pose at a time, and strategy {} many; take sequential, or one of {}",
                    entry.name, strategy.name, fmt::join(implementations_of(strategy), ", ")));
}

std::string why_not_from(PriorKind prior, const Implementation& entry) {
  if (!entry.own_process || prior == PriorKind::pose || searches_anywhere(entry)) return "";
  return "it requires a guess to search around";
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : initial_pose::strategies()) names.emplace_back(strategy.name);
  return names;
}

}  // namespace ndt::harness
