// A covering array of a registration's options: rows that hold every pair of values of two options. A new
// name of an enumeration joins by itself; a new number needs a line in kNumbers.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ndt/align/option_table.hpp"

namespace ndt::option_rows {

/// Stands beside the options: PerScan::regularisation, which an alignment may have.
inline constexpr std::string_view kTarget = "target";

/// The values of what is no enumeration, the default first. Single values are those of kOnMachine.
inline const std::map<std::string_view, std::vector<std::string_view>> kNumbers{
    {"resolution", {"2", "1", "3"}},
    {"step", {"0.1", "0.05"}},      // longer fixed steps overshoot, and the last bit decides where they end
    {"epsilon", {"0.01", "0.03"}},  // below 0.01 the last bit decides many ends
    {"max-iterations", {"30", "4"}},
    {"outlier-ratio", {"0.55", "0.3", "0.8"}},
    {"min-points", {"6", "4", "10"}},
    {"eigenvalue-ratio", {"0.01", "0.1"}},
    {"levels", {"1", "2.5,1", "6,2.5,1", "6,2.5,1,0.5"}},
    {"negative-curvature", {"1", "0.5", "0"}},
    {"coarse-stride", {"1", "4"}},
    {"finish-window", {"0.4", "0.75"}},
    {"finish-min-points", {"6", "10"}},
    {"finish-eigenvalue-ratio", {"0.001", "0.01"}},
    {"reg-scale", {"0.01", "0.1"}},
    {"device", {"0"}},
    {"devices", {"1"}},
    {"threads", {"1"}},
    {kTarget, {"none", "beside"}}};

/// Options that depend on the machine: a second device may be missing, and threads wait long on a busy one.
inline constexpr std::array<std::string_view, 3> kOnMachine{"device", "devices", "threads"};

/// All values of an option but the first need this value of another, or need it not to be this one.
struct Need {
  std::string_view option, other, value;
  bool to_be = true;
};
inline constexpr std::array kNeeds{
    Need{"step", "step-control", "clamped"},         // trust_region takes its radii from the levels
    Need{"epsilon", "step-control", "clamped"},      // trust_region takes its end from the levels
    Need{"line-search", "step-control", "clamped"},  // trust_region has none
    Need{"newton-step", "step-control", "clamped"},  // trust_region has its own damping
    Need{"hessian", "step-control", "clamped"},      // trust_region has the exact one only
    Need{"levels", "step-control", "trust_region"},  // clamped steps have one level,
    Need{"negative-curvature", "step-control", "trust_region"},  // and all of the curvature
    Need{"coarse-stride", "levels", "1", false},                 // one level has no coarse one
    Need{"finish", "step-control", "trust_region"},              // clamped steps end by their length
    Need{"finish-window", "finish", "windows"},                  // these three are a window's
    Need{"finish-min-points", "finish", "windows"},
    Need{"finish-eigenvalue-ratio", "finish", "windows"},
    Need{"step-ratios", "line-search", "batched"},  // no other search tries ratios
    Need{"reg-scale", kTarget, "beside"}};          // weighs the pull towards a target

struct Column {
  std::string_view name;
  std::vector<std::string_view> values;  ///< none: nobody has named them yet
};

/// Options that others need come first, so that a row that cannot be completed is given up soon.
/// The finish joined last, whatever its place in the table, and so the rows of the others stay as they were.
inline std::vector<Column> columns() {
  std::vector<Column> out, joined;
  const auto add = [&](std::string_view name, std::vector<std::string_view> values) {
    if (name.starts_with("finish")) return joined.push_back({name, std::move(values)});
    const bool needed = std::ranges::count(kNeeds, name, &Need::other) > 0;
    out.insert(needed ? out.begin() : out.end(), {name, std::move(values)});
  };
  auto numbers = kNumbers;
  for_each_option(kAlignOptions, [&]<class Value>(const Option<AlignOptions, Value>& option) {
    if constexpr (std::is_enum_v<Value>)
      add(option.name, all_names<Value>());
    else
      add(option.name, numbers[option.name]);
  });
  add(kTarget, numbers[kTarget]);
  out.insert(out.end(), joined.begin(), joined.end());
  return out;
}

/// The value of each column by its index; -1 is open.
using Row = std::vector<int>;

class CoveringArray {
 public:
  CoveringArray() {
    const auto unnamed = [](const Column& column) { return column.values.empty(); };
    if (std::ranges::any_of(columns_, unnamed)) return;  // no row can be completed
    // In this order an option that joins at the table's end adds rows and leaves the others as they are.
    for (std::size_t b = 1; b < columns_.size(); ++b)
      for (std::size_t a = 0; a < b; ++a)
        for (int i = 0; i < size(a); ++i)
          for (int k = 0; k < size(b); ++k) {
            Row row(columns_.size(), -1);
            row[a] = i, row[b] = k;
            if (holds(a, i, b, k)) continue;
            add_needed(row);
            if (complete(row, 0)) rows_.push_back(row);
          }
  }

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  int size(std::size_t column) const { return static_cast<int>(columns_[column].values.size()); }
  /// Whether a row has both values.
  bool holds(std::size_t a, int i, std::size_t b, int k) const {
    return std::ranges::any_of(rows_, [=](const Row& row) { return row[a] == i && row[b] == k; });
  }

 private:
  std::size_t column(std::string_view name) const {
    const auto found = std::ranges::find(columns_, name, &Column::name);
    if (found == columns_.end()) throw std::logic_error("kNeeds: there is no option " + std::string(name));
    return static_cast<std::size_t>(found - columns_.begin());
  }
  /// Sets what the values of a row need and is open, so that a row that cannot be completed is known at once.
  void add_needed(Row& row) const {
    for (bool changed = true; std::exchange(changed, false);)
      for (const Need& need : kNeeds) {
        int& other = row[column(need.other)];
        if (!need.to_be || row[column(need.option)] <= 0 || other >= 0) continue;
        const auto& values = columns_[column(need.other)].values;
        other = static_cast<int>(std::ranges::find(values, need.value) - values.begin());
        changed = true;
      }
  }
  /// False if the rest cannot make up for what is set.
  bool allowed(const Row& row) const {
    return std::ranges::all_of(kNeeds, [&](const Need& need) {
      const auto other = column(need.other);
      if (row[column(need.option)] <= 0 || row[other] < 0) return true;
      return (columns_[other].values[row[other]] == need.value) == need.to_be;
    });
  }
  /// Sets what is open from that column on. The first choice is the value with the most pairs that no row
  /// holds yet.
  bool complete(Row& row, std::size_t column) const {
    if (!allowed(row)) return false;
    if (column == row.size()) return true;
    if (row[column] >= 0) return complete(row, column + 1);
    std::vector<std::pair<int, int>> choices;  // the pairs held already, and the value
    for (int value = 0; value < size(column); ++value) {
      choices.emplace_back(0, value);
      for (std::size_t c = 0; c < row.size(); ++c)
        choices.back().first += row[c] >= 0 && holds(column, value, c, row[c]) ? 1 : 0;
    }
    std::ranges::sort(choices);
    for (const auto& [held, value] : choices) {
      row[column] = value;
      if (complete(row, column + 1)) return true;
    }
    row[column] = -1;
    return false;
  }

  const std::vector<Column> columns_ = option_rows::columns();
  std::vector<Row> rows_;
};

}  // namespace ndt::option_rows
