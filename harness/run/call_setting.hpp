// How a study has its alignments called. A setting is a member and a line of the table here, and an act of
// run/measure.cpp: presets, plans, rows, their keys and words follow.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "ndt/align/option.hpp"

namespace ndt::harness {

/// Nothing of a setting is the usual call, which a preset writes as 0.
struct CallSetting {
  std::optional<double> rate_hz{};  ///< of a caller that sleeps between alignments; nothing = back to back
  std::optional<double> announced_ms{};  ///< before the tick; only with a rate
  std::optional<double> grid_shift{};    ///< in voxels, of the grid below the map; such calls are not timed
};

struct CallOption {
  std::string_view name, list;  ///< key of plans and rows; key of a preset's list of values
  std::optional<double> CallSetting::*member;
  Bounds bounds;  ///< of a value other than 0
  std::string_view unit;
  std::string_view done;     ///< what a value and its unit are said to be, in words; empty: nothing
  std::string_view usual;    ///< the call without it, in words
  std::string_view meaning;  ///< for columns.json
  bool timed;                ///< it says something about times alone
};

inline constexpr std::tuple kCallSettings{
    CallOption{"rate_hz", "rates_hz", &CallSetting::rate_hz, Bounds::closed(0.1, 1000), "Hz", "",
               "back to back", "how often the caller aligns, asleep until the next tick; null: back to back",
               true},
    CallOption{
        "announced_ms", "announced_ms", &CallSetting::announced_ms, Bounds::closed(0.01, 50), "ms",
        " announced", "not announced",
        "how long before the tick the caller announces its scan (Aligner::expect_scan); null: not announced",
        true},
    CallOption{"grid_shift", "grid_shifts", &CallSetting::grid_shift, Bounds::closed(0.01, 0.99), "voxels",
               "", "the grid as it is",
               "part of a voxel by which the grid moves along x, twice along y, three times along z; null: "
               "not moved",
               false}};

/// Calls f(setting).
template <class F>
constexpr void for_each_call_setting(F&& f) {
  std::apply([&](const auto&... setting) { (f(setting), ...); }, kCallSettings);
}

/// Each setting that is not the usual one, such as "12.5 Hz, 1 ms announced".
inline std::string in_words(const CallSetting& call) {
  std::string text;
  for_each_call_setting([&](const CallOption& setting) {
    if (const auto& value = call.*setting.member)
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", *value, setting.unit, setting.done);
  });
  return text;
}

}  // namespace ndt::harness
