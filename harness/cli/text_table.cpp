#include "cli/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ndt::harness {
namespace {

std::string line(std::span<const TextColumn> columns, std::span<const std::size_t> widths,
                 const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k > 0) out += ' ';
    out +=
        columns[k].left ? fmt::format("{:<{}}", cells.at(k), widths[k]) : fmt::format("{:>{}}", cells.at(k), widths[k]);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

}  // namespace

std::string text_table(std::span<const TextColumn> columns, std::span<const std::vector<std::string>> rows) {
  std::vector<std::string> titles, units;
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns) {
    titles.push_back(column.title);
    units.push_back(column.unit);
    widths.push_back(std::max(column.title.size(), column.unit.size()));
  }
  for (const auto& row : rows)
    for (std::size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], row.at(k).size());

  std::string out = line(columns, widths, titles);
  if (std::ranges::any_of(units, [](const std::string& unit) { return !unit.empty(); }))
    out += line(columns, widths, units);
  for (const auto& row : rows) out += line(columns, widths, row);
  return out;
}

}  // namespace ndt::harness
