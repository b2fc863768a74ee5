// What "auto" takes on this machine, for doctor: its times, and the sizes at which it changes its mind.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ndt::harness {

inline constexpr const char* kMeasureSeconds = "20";

/// Lines for people, one at least, and the same for programs.
struct AutoChoice {
  std::vector<std::string> lines;
  nlohmann::ordered_json value;
};
AutoChoice auto_choice();

/// Measures for about so long, shows progress on stderr, and replaces the times that are kept. Throws
/// UsageError for a time out of bounds, InputError if the file cannot be written.
void measure_for_auto(double seconds);

}  // namespace ndt::harness
