// Fixed-width tables for terminals.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ndt::harness {

struct TextColumn {
  std::string title, unit;  ///< two heading lines; the second is left out if no column has a unit
  bool left = false;        ///< aligned left instead of right
};

/// One space between columns, each as wide as its widest cell; every row must have one cell per column.
std::string text_table(std::span<const TextColumn> columns, std::span<const std::vector<std::string>> rows);

}  // namespace ndt::harness
