// The findings of diff, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "run/parting.hpp"

namespace ndt::harness {

struct NamedDiff {
  std::string frame, guess;
  AlignmentDiff diff;
};

/// A table with a line for each alignment, and how many part in what.
std::string to_text(std::span<const NamedDiff> diffs, const PartingBounds& bounds);
nlohmann::ordered_json to_json(std::span<const NamedDiff> diffs, const PartingBounds& bounds);

}  // namespace ndt::harness
