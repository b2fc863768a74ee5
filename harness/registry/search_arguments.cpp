#include "registry/search_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/unknown_name.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Method;
using initial_pose::Strategy;

constexpr Method kMethods[] = {Method::tpe, Method::random, Method::grid};

/// The rows whose schedule a strategy is, the fastest first; none: any row will do.
std::vector<std::string_view> rows_of(const Strategy& strategy) {
  if (strategy.guided_at_once) return {"persistent_cuda", "persistent_cpu"};
  if (strategy.startup_at_once) return {"multikernel_cuda", "multikernel_cpu"};
  return {};
}

std::vector<std::string> names_of_strategies() {
  std::vector<std::string> names;
  for (const Strategy& strategy : initial_pose::strategies()) names.emplace_back(strategy.name);
  return names;
}

std::vector<std::string> names_of_methods() {
  std::vector<std::string> names;
  for (const Method method : kMethods) names.emplace_back(to_string(method));
  return names;
}

Strategy strategy_called(const std::string& name) {
  const auto all = initial_pose::strategies();
  const auto found = std::ranges::find(all, name, &Strategy::name);
  if (found == all.end()) throw unknown_name("strategy", name, names_of_strategies());
  return *found;
}

Method method_called(const std::string& name) {
  const auto* found = std::ranges::find(kMethods, name, [](Method method) { return to_string(method); });
  if (found == std::end(kMethods)) throw unknown_name("method", name, names_of_methods());
  return *found;
}

}  // namespace

SearchSetting resolve(const SearchArguments& a) {
  SearchSetting setting{strategy_called(a.strategy), {}};
  initial_pose::SearchOptions& options = setting.options;
  if (a.method) options.method = method_called(*a.method);
  options.particles = a.particles.value_or(options.particles);
  options.startup = a.startup.value_or(std::min(options.startup, options.particles));
  options.at_once = setting.strategy.guided_at_once ? a.at_once.value_or(options.at_once) : 1;
  options.candidates = a.candidates.value_or(options.candidates);
  options.seed = a.seed.value_or(options.seed);
  options.reliable_nvtl = a.reliable_nvtl.value_or(options.reliable_nvtl);
  validate(options);
  if (a.at_once && *a.at_once != options.at_once)
    throw UsageError(fmt::format("at-once = {}: strategy {} guides one particle at a time; take batched_persistent",
                                 *a.at_once, setting.strategy.name));
  if (options.method != Method::tpe && (a.startup || a.candidates || a.at_once))
    throw UsageError(fmt::format("startup, candidates and at-once are for method tpe; {} guides no particle",
                                 to_string(options.method)));
  if (options.startup > options.particles)
    throw UsageError(fmt::format("startup = {}: more than the {} particles", options.startup, options.particles));
  return setting;
}

const AlignerEntry& choose_aligner(const Strategy& strategy, std::string_view name) {
  if (name == kAuto)
    for (const std::string_view row : rows_of(strategy))
      if (const AlignerEntry& entry = find_aligner(row); entry.unavailable_reason().empty()) return entry;
  return choose_aligner(name);
}

bool can_run(const Strategy& strategy, const Aligner& aligner) {
  const bool at_once = strategy.startup_at_once || strategy.guided_at_once;
  return !at_once || dynamic_cast<const BatchAligner*>(&aligner) != nullptr;
}

void require_can_run(const Strategy& strategy, const AlignerEntry& entry, const Aligner& aligner) {
  if (!can_run(strategy, aligner))
    throw UsageError(fmt::format("{} aligns one pose at a time, and strategy {} many; take sequential, or one of {}",
                                 entry.name, strategy.name, fmt::join(rows_of(strategy), ", ")));
}

std::string strategy_names() { return fmt::format("{}", fmt::join(names_of_strategies(), ", ")); }
std::string method_names() { return fmt::format("{}", fmt::join(names_of_methods(), ", ")); }

}  // namespace ndt::harness
