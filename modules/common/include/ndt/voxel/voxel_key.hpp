// Voxel coordinates and their packed keys.
#pragma once

#include <cstdint>

#include "ndt/core/limits.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// Voxel coordinates relative to the map origin's voxel.
struct Cell {
  int x = 0, y = 0, z = 0;
};
NDT_HD inline bool operator==(const Cell& a, const Cell& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

inline constexpr int kCellLimit = Limits::kCell;  ///< cells lie in [-kCellLimit, kCellLimit)

NDT_HD inline bool in_limits(const Cell& c) {
  return c.x >= -kCellLimit && c.x < kCellLimit && c.y >= -kCellLimit && c.y < kCellLimit && c.z >= -kCellLimit &&
         c.z < kCellLimit;
}

/// floor(v) where it fits a cell, without a library call; false outside the limits and for NaN.
NDT_HD inline bool floor_to_cell(float v, int& cell) {
  if (!(v >= static_cast<float>(-kCellLimit) && v < static_cast<float>(kCellLimit))) return false;
  cell = static_cast<int>(v);
  cell -= static_cast<float>(cell) > v ? 1 : 0;
  return true;
}

/// floor(p / resolution) per axis, in float32 with the reciprocal as the reference computes it.
NDT_HD inline bool cell_of(const Vec3<float>& p, float inverse_resolution, Cell& cell) {
  return floor_to_cell(p.x * inverse_resolution, cell.x) && floor_to_cell(p.y * inverse_resolution, cell.y) &&
         floor_to_cell(p.z * inverse_resolution, cell.z);
}

/// Packed so that sorting by key sorts by z, then y, then x.
NDT_HD inline std::uint64_t pack(const Cell& c) {
  const auto bits = [](int v) { return static_cast<std::uint64_t>(v + kCellLimit); };
  return bits(c.z) << 42 | bits(c.y) << 21 | bits(c.x);
}
NDT_HD inline Cell unpack(std::uint64_t key) {
  const auto axis = [](std::uint64_t v) { return static_cast<int>(v & 0x1FFFFF) - kCellLimit; };
  return {axis(key), axis(key >> 21), axis(key >> 42)};
}
inline constexpr int kKeyBits = 63;

NDT_HD inline Vec3<double> centre_of(const Cell& c, double resolution_m) {
  return {(c.x + 0.5) * resolution_m, (c.y + 0.5) * resolution_m, (c.z + 0.5) * resolution_m};
}

}  // namespace ndt
