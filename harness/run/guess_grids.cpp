#include "run/guess_grids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kAxisNames[] = {"x", "_y", "_z", "_yaw"};

/// The position of combination k on each axis; the last axis moves first.
template <class Grid>
void split(const Grid& grid, std::size_t k, std::size_t (&at)[4]) {
  for (std::size_t axis = 4; axis-- > 0;) {
    const std::size_t n = grid.axes[axis].values.size();
    at[axis] = k % n;
    k /= n;
  }
}

}  // namespace

double combinations(const GuessGrid& grid) {
  return static_cast<double>(grid.x_m.size()) * static_cast<double>(grid.y_m.size()) *
         static_cast<double>(grid.z_m.size()) * static_cast<double>(grid.yaw_deg.size());
}

std::size_t GuessGrids::Grid::combinations() const {
  std::size_t n = 1;
  for (const Axis& axis : axes) n *= axis.values.size();
  return n;
}

GuessGrids::GuessGrids(const std::vector<GuessGrid>& grids) {
  if (grids.size() > Limits::kGrids) throw std::logic_error("GuessGrids: more grids than bits");
  std::map<std::string, std::uint64_t> holders[kAxes];
  for (const GuessGrid& given : grids) {
    const std::uint64_t bit = std::uint64_t{1} << grids_.size();
    Grid& grid = grids_.emplace_back();
    const std::vector<double>* lists[] = {&given.x_m, &given.y_m, &given.z_m, &given.yaw_deg};
    for (std::size_t axis = 0; axis < kAxes; ++axis)
      for (const double value : *lists[axis]) {
        std::string text = fmt::format("{}{:+g}", kAxisNames[axis], value);
        std::uint64_t& mask = holders[axis][text];
        if ((mask & bit) != 0) continue;
        mask |= bit;
        grid.axes[axis].values.push_back(value);
        grid.axes[axis].texts.push_back(std::move(text));
      }
  }
  for (Grid& grid : grids_)
    for (std::size_t axis = 0; axis < kAxes; ++axis)
      for (const std::string& text : grid.axes[axis].texts)
        grid.axes[axis].holders.push_back(holders[axis].at(text));
  for (std::size_t index = 0; index < grids_.size(); ++index) find_own(index);
}

void GuessGrids::find_own(std::size_t index) {
  Grid& grid = grids_[index];
  const std::size_t n = grid.combinations();
  const std::uint64_t earlier = (std::uint64_t{1} << index) - 1;
  for (std::size_t k = 0; index > 0 && k < n; ++k) {
    std::size_t at[kAxes];
    split(grid, k, at);
    std::uint64_t common = earlier;
    for (std::size_t axis = 0; axis < kAxes; ++axis) common &= grid.axes[axis].holders[at[axis]];
    if (common == 0) grid.own.push_back(static_cast<std::uint32_t>(k));
  }
  ends_.push_back(size() + (index == 0 ? n : grid.own.size()));
}

GuessGrids::Offset GuessGrids::at(std::size_t k) const {
  const auto end = std::ranges::upper_bound(ends_, k);
  const auto index = static_cast<std::size_t>(end - ends_.begin());
  const Grid& grid = grids_.at(index);
  if (index > 0) k = grid.own.at(k - ends_[index - 1]);
  std::size_t at[kAxes];
  split(grid, k, at);
  std::string name;
  double values[kAxes];
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    name += grid.axes[axis].texts[at[axis]];
    values[axis] = grid.axes[axis].values[at[axis]];
  }
  return {std::move(name), GuessOffset{values[0], values[1], values[2], values[3]}};
}

}  // namespace ndt::harness
