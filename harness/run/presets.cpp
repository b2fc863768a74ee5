#include "run/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "base/project_folder.hpp"
#include "data/density.hpp"
#include "ndt/core/limits.hpp"
#include "peers/peer_file.hpp"
#include "registry/option_keys.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void read_number(TomlTable& toml, const std::string& key, const Bounds& bounds, double& value) {
  value = toml.number(key, bounds.low, bounds.high).value_or(value);
}
void read_number(TomlTable& toml, const std::string& key, const Bounds& bounds,
                 std::optional<double>& value) {
  if (const auto given = toml.number(key, bounds.low, bounds.high)) value = given;
}
void read_number(TomlTable& toml, const std::string& key, const Bounds& bounds, std::vector<double>& value) {
  value = toml.numbers(key, bounds.low, bounds.high).value_or(value);
}
template <std::integral T>
void read_number(TomlTable& toml, const std::string& key, const Bounds& bounds, T& value) {
  const auto low = static_cast<std::int64_t>(bounds.low), high = static_cast<std::int64_t>(bounds.high);
  value = static_cast<T>(toml.whole(key, low, high).value_or(value));
}

/// Keys that are missing keep their defaults.
template <class Struct, class Table>
Struct read_struct(TomlTable& toml, const Table& options) {
  Struct out;
  for_each_option(options, [&](const auto& option) {
    read_number(toml, std::string(option.name), option.bounds, out.*option.member);
  });
  toml.finish();
  return out;
}

std::optional<TimingRule> read_timing(TomlTable& toml) {
  auto table = toml.table("timing");
  if (!table) return std::nullopt;
  return read_struct<TimingRule>(*table, kTimingRule);
}

JobLimits read_limits(TomlTable& toml) {
  auto table = toml.table("limits");
  return table ? read_struct<JobLimits>(*table, kJobLimits) : JobLimits{};
}

Variant read_variant(TomlTable& toml) {
  Variant variant;
  variant.name = toml.required_text("name");
  variant.regularised_at_truth = toml.flag("reg_at_truth").value_or(false);
  read_options(toml, variant.options);
  toml.finish();
  return variant;
}

std::vector<int> read_counts(TomlTable& toml, const char* key, double least, double most,
                             std::vector<int> standard) {
  const auto given = toml.numbers(key, least, most);
  if (!given || given->empty()) return standard;
  std::vector<int> counts;
  for (const double count : *given) {
    if (count != static_cast<int>(count)) toml.refuse(key, "holds a fraction", "give whole numbers");
    counts.push_back(static_cast<int>(count));
  }
  return counts;
}

SearchSpec read_search(TomlTable& toml, const SearchSpec& common) {
  SearchSpec search = common;
  search.name = toml.required_text("name");
  search.implementations = toml.texts("implementations").value_or(std::vector<std::string>{});
  if (search.implementations.empty())
    toml.refuse("implementations", "is missing or empty",
                "name the implementations that shall run this search");
  read_options(toml, search.arguments);
  try {
    const ResolvedSearch setting = resolve(search.arguments);
    for (const std::string& implementation : search.implementations) {
      if (implementation != kAnyPeer) find_implementation(implementation);
      require_for_a_run(setting, search.prior, implementation == kAnyPeer || is_peer_name(implementation));
    }
  } catch (const std::exception& error) {
    toml.refuse("name",
                fmt::format("'{}' cannot be run: {}", printable(search.name), printable(error.what(), 300)),
                "change the search's settings");
  }
  toml.finish();
  return search;
}

/// Reads the prior of a search. In the whole map, only the sensor's tilt is known.
void read_prior(TomlTable& toml, SearchSpec& common) {
  if (const auto prior = toml.text("prior")) {
    const auto kind = value_named<PriorKind>(*prior);
    if (!kind || *kind == PriorKind::box)
      toml.refuse("prior", fmt::format("is '{}'", printable(*prior)), "give pose, with sigma, or map");
    common.prior = *kind;
  }
  const bool of_the_map = common.prior == PriorKind::map;
  if (of_the_map) std::fill_n(common.sigma, 3, 0.0);
  const auto sigma = toml.numbers("sigma", 0, kOffsetMost);
  if (!sigma) return;
  constexpr const char* kFive = "give x, y, z in metres, roll, pitch in radians";
  if (sigma->size() != std::size(common.sigma)) toml.refuse("sigma", "has not five numbers", kFive);
  std::ranges::copy(*sigma, common.sigma);
  if (common.sigma[3] > kPi || common.sigma[4] > kPi) toml.refuse("sigma", "has an angle above pi", kFive);
  if (of_the_map && std::any_of(common.sigma, common.sigma + 3, [](double s) { return s > 0; }))
    toml.refuse("sigma", "tells a position beside prior = 'map'",
                "give 0 for x, y and z, or leave prior out");
}

/// The priors are those of the study, so that its searches look for the same poses.
std::vector<SearchSpec> read_searches(TomlTable& toml) {
  SearchSpec common;
  common.seeds = static_cast<int>(toml.whole("seeds", 1, kCountMost).value_or(common.seeds));
  read_prior(toml, common);
  std::vector<SearchSpec> searches;
  for (TomlTable& search : toml.tables("searches")) searches.push_back(read_search(search, common));
  for (const char* key : {"seeds", "prior", "sigma"})
    if (searches.empty() && contains(toml.keys(), key))
      toml.refuse(key, "given without searches", "add searches = [...]");
  const auto refuse_beside = [&](std::string_view key) {
    if (!searches.empty() && contains(toml.keys(), key))
      toml.refuse(key, "given beside searches", "put them into a study of their own");
  };
  for (const char* key : {"poses", "grids", "scatters"}) refuse_beside(key);
  for_each_call_setting([&](const CallOption& setting) { refuse_beside(setting.list); });
  return searches;
}

/// The values of a setting, 0 for the usual call: the others are looked at beside it, so it is among them.
std::vector<std::optional<double>> read_setting(TomlTable& toml, const CallOption& setting) {
  const auto values = toml.numbers(setting.list, 0, setting.bounds.high);
  if (!values) return {std::nullopt};
  std::vector<std::optional<double>> read;
  for (const double value : *values) {
    if (value != 0 && !setting.bounds.hold(value))
      toml.refuse(setting.list, fmt::format("holds {:g}", value),
                  fmt::format("give 0 or {:g} and more", setting.bounds.low));
    read.push_back(value != 0 ? std::optional(value) : std::nullopt);
  }
  if (std::ranges::find(*values, 0.0) == values->end())
    toml.refuse(setting.list, "does not hold 0",
                fmt::format("add 0, which means {}: the baseline of all others", setting.usual));
  return read;
}

/// Every combination of the settings' values; back to back nothing is announced.
std::vector<CallSetting> read_calls(TomlTable& toml, bool timed, std::span<const int> poses) {
  std::vector<CallSetting> calls = {{}};
  for_each_call_setting([&](const CallOption& setting) {
    const bool given = contains(toml.keys(), setting.list);
    const auto values = read_setting(toml, setting);
    if (given && setting.timed && !timed)
      toml.refuse(setting.list, "given in a study that is not timed", "remove one of the two");
    if (std::ranges::any_of(values, [](const auto& value) { return value.has_value(); }) &&
        std::ranges::any_of(poses, [](int count) { return count > 1; }))
      toml.refuse(setting.list, "given beside batches: poses above 1", "put them into a study of their own");
    std::vector<CallSetting> all;
    for (const auto& value : values)
      for (CallSetting call : calls) {
        call.*setting.member = value;
        all.push_back(call);
      }
    calls = std::move(all);
  });
  std::erase_if(calls, [](const CallSetting& call) { return call.announced_ms && !call.rate_hz; });
  return calls;
}

/// Measurements of two searches are told apart by their names, and so are those of two variants.
void require_own_names(const TomlTable& toml, const std::vector<Study>& studies) {
  std::set<std::string> names;
  std::map<std::string, const Variant*> variants;
  for (const Study& study : studies) {
    for (const SearchSpec& search : study.searches)
      if (!names.insert(search.name).second)
        toml.refuse("study", fmt::format("has two searches named '{}'", printable(search.name)),
                    "give each a name of its own");
    for (const Variant& variant : study.variants)
      if (!(*variants.emplace(variant.name, &variant).first->second == variant))
        toml.refuse(
            "study",
            fmt::format("has two variants named '{}' with different options", printable(variant.name)),
            "give each a name of its own");
  }
}

/// An empty text stands for the dataset's own density.
std::vector<std::string> read_densities(TomlTable& toml) {
  std::vector<std::string> densities = toml.texts("densities").value_or(std::vector<std::string>{});
  for (std::string& density : densities)
    if (density == "own")
      density.clear();
    else if (!is_density(density))
      toml.refuse("densities", fmt::format("holds '{}'", printable(density)),
                  "give own, raw, leaves such as 0.25m and numbers of random points such as 5000");
  return densities;
}

std::vector<std::string> read_only(TomlTable& toml) {
  std::vector<std::string> names = toml.texts("only").value_or(std::vector<std::string>{});
  for (const std::string& name : names)
    if (std::ranges::find(implementations(), name, &Implementation::name) == implementations().end())
      toml.refuse("only", fmt::format("names '{}'", printable(name)),
                  "name implementations that `ndt-bench list` shows; peers go into also");
  return names;
}

/// All other implementations of the registry take part anyway. What a peer's name stands for is known when a
/// run is planned.
std::vector<std::string> read_also(TomlTable& toml) {
  std::vector<std::string> names = toml.texts("also").value_or(std::vector<std::string>{});
  for (const std::string& name : names) {
    if (is_peer_name(name)) continue;
    const auto found = std::ranges::find(implementations(), name, &Implementation::name);
    if (found == implementations().end() || !found->not_for_use)
      toml.refuse("also", fmt::format("names '{}', which is not one of the studies", printable(name)),
                  "name a peer or an implementation that `ndt-bench list` calls a study; all others take "
                  "part anyway");
  }
  return names;
}

Study read_study(TomlTable& toml) {
  Study study;
  study.datasets = toml.texts("datasets").value_or(std::vector<std::string>{});
  study.recordings = toml.texts("recordings").value_or(std::vector<std::string>{});
  study.datasets.insert(study.datasets.end(), study.recordings.begin(), study.recordings.end());
  if (study.datasets.empty()) toml.refuse("datasets", "is missing or empty", "name the datasets");
  study.densities = read_densities(toml);
  study.only = read_only(toml);
  study.also = read_also(toml);
  if (const auto frames = toml.whole("frames", 1, kCountMost)) study.frames = static_cast<int>(*frames);
  study.threads = read_counts(toml, "threads", 0, Limits::kThreads, {1, 0});
  study.poses = read_counts(toml, "poses", 1, kPosesMost, study.poses);
  study.timing = read_timing(toml);
  study.searches = read_searches(toml);
  for (TomlTable& variant : toml.tables("variants")) study.variants.push_back(read_variant(variant));
  if (study.variants.empty()) study.variants.emplace_back();
  if (const auto grids = toml.tables("grids"); grids.size() > Limits::kGrids)
    toml.refuse("grids", fmt::format("has {} tables, the limit is {}", grids.size(), Limits::kGrids),
                "put several offsets into one");
  for (TomlTable& grid : toml.tables("grids"))
    study.grids.push_back(read_struct<GuessGrid>(grid, kGuessGrid));
  for (TomlTable& scatter : toml.tables("scatters"))
    study.scatters.push_back(read_struct<GuessScatter>(scatter, kGuessScatter));
  study.timed = toml.flag("timed").value_or(study.timed);
  study.trace = toml.flag("trace").value_or(study.trace);
  study.second_look = toml.flag("second_look").value_or(study.second_look);
  study.calls = read_calls(toml, study.timed, study.poses);
  study.measurements_per_job = static_cast<int>(
      toml.whole("measurements_per_job", 1, Limits::kJobMeasurements).value_or(study.measurements_per_job));
  toml.finish();
  return study;
}

/// From quick to thorough.
constexpr const char* kOrder[] = {"smoke",        "tracking", "basin",        "scaling",   "profiles",
                                  "iterations",   "latency",  "batch",        "transfers", "initial_pose",
                                  "prior_ladder", "pyramid",  "pyramid_time", "trust",     "search_trust",
                                  "accuracy",     "peers",    "idle",         "load",      "full"};

fs::path presets_folder() { return project_folder("harness/presets"); }

enum class Studies { own, own_and_others };

/// The studies of the presets that it names come first; those may not name others.
Preset read_preset(const fs::path& file, Studies studies) {
  TomlTable toml = TomlTable::read(file);
  Preset preset;
  preset.name = file.stem().string();
  preset.description = toml.required_text("description");
  preset.seed = static_cast<std::uint64_t>(toml.whole("seed", 0, kCountMost).value_or(1));
  preset.timing = read_timing(toml).value_or(preset.timing);
  preset.limits = read_limits(toml);
  const auto others = toml.texts("presets").value_or(std::vector<std::string>{});
  if (studies == Studies::own && !others.empty())
    toml.refuse("presets", "given in a preset that another one names", "name these there instead");
  for (const std::string& name : others) {
    if (std::ranges::find(kOrder, name) == std::end(kOrder))
      toml.refuse("presets", "names no preset of the project",
                  fmt::format("name some of {}", fmt::join(std::begin(kOrder), std::end(kOrder) - 1, ", ")));
    for (Study& study : read_preset(presets_folder() / (name + ".toml"), Studies::own).studies)
      preset.studies.push_back(std::move(study));
  }
  for (TomlTable& study : toml.tables("study")) preset.studies.push_back(read_study(study));
  require_own_names(toml, preset.studies);
  if (preset.studies.empty()) toml.refuse("study", "is missing", "add a table [[study]]");
  toml.finish();
  return preset;
}

std::ptrdiff_t rank(const std::string& name) { return std::ranges::find(kOrder, name) - std::begin(kOrder); }

}  // namespace

bool SearchSpec::is_for(const Implementation& entry) const {
  return contains(implementations, entry.name) || (entry.own_process && contains(implementations, kAnyPeer));
}

std::vector<Preset> presets() {
  std::vector<Preset> all;
  for (const auto& entry : fs::directory_iterator(presets_folder()))
    if (entry.path().extension() == ".toml")
      all.push_back(read_preset(entry.path(), Studies::own_and_others));
  std::ranges::sort(all, [](const Preset& a, const Preset& b) {
    return std::pair(rank(a.name), a.name) < std::pair(rank(b.name), b.name);
  });
  return all;
}

Preset find_preset(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml"))
    return read_preset(name, Studies::own_and_others);
  std::vector<std::string> names;
  for (Preset& preset : presets()) {
    if (preset.name == name) return std::move(preset);
    names.push_back(preset.name);
  }
  throw unknown_name("preset", name, names);
}

}  // namespace ndt::harness
