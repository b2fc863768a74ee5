// The voxel edges of a registration's maps, as multiples of its resolution: a short list with a fixed
// capacity.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ndt/core/limits.hpp"

namespace ndt {

struct Bounds;

/// Voxel edges over the resolution, from coarse to fine; 1 to Limits::kLevels of them.
class Levels {
 public:
  constexpr Levels() = default;  ///< the resolution alone
  /// Throws std::invalid_argument for no level or more than Limits::kLevels; validate() checks the order.
  constexpr Levels(std::initializer_list<double> edges)
      : Levels(std::span<const double>(edges.begin(), edges.size())) {}
  /// As above, from an array.
  constexpr explicit Levels(std::span<const double> edges) : edges_{}, size_(edges.size()) {
    if (edges.empty() || edges.size() > Limits::kLevels)
      throw std::invalid_argument("levels: " + std::to_string(edges.size()) + " given, 1 to " +
                                  std::to_string(Limits::kLevels) + " are possible");
    for (std::size_t i = 0; i < size_; ++i) edges_[i] = edges[i];
  }

  constexpr std::size_t size() const { return size_; }             ///< number of levels
  constexpr const double* begin() const { return edges_.data(); }  ///< the coarsest
  /// Past the finest.
  constexpr const double* end() const { return edges_.data() + size_; }
  /// Returns the edge of level i; level 0 is the coarsest.
  constexpr double operator[](std::size_t i) const { return edges_[i]; }

  /// Same levels in the same order.
  friend constexpr bool operator==(const Levels&, const Levels&) = default;

 private:
  std::array<double, Limits::kLevels> edges_{1};  // 0 beyond size_
  std::size_t size_ = 1;
};

/// Writes levels as "6,2.5,1".
std::string to_string(const Levels& levels);
/// Inverse. Throws std::invalid_argument that quotes the text.
Levels levels_from_text(std::string_view text);

/// Throws std::invalid_argument "option <name> = 1,2.5: ..." unless every level is within the bounds and
/// finer than the one before.
void require_within(std::string_view name, const Levels& levels, const Bounds& bounds);

}  // namespace ndt
