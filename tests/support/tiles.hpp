// Clouds in tiles, and tiles as one cloud.
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "ndt/align/resident_map.hpp"
#include "ndt/core/simd.hpp"

namespace ndt {

using Tiles = std::map<TileId, TileCloud>;

inline Tiles shared(std::map<TileId, std::vector<Point>> tiles) {
  Tiles out;
  for (auto& [id, points] : tiles) out[id] = std::make_shared<const std::vector<Point>>(std::move(points));
  return out;
}

/// Squares of a cloud, with ids by x, then y.
inline Tiles cut(const PointCloud& cloud, double size_m) {
  std::map<TileId, std::vector<Point>> tiles;
  const auto square = [&](float coordinate) {
    return static_cast<TileId>(std::floor(static_cast<double>(coordinate) / size_m));
  };
  for (const Point& p : cloud.points) tiles[square(p.x) * 100000 + square(p.y)].push_back(p);
  return shared(std::move(tiles));
}

/// Every point in any tile, so that most voxels have points of several tiles.
inline Tiles strewn(const PointCloud& cloud, int tiles) {
  std::mt19937 random(3);
  std::uniform_int_distribution<TileId> any(0, tiles - 1);
  std::map<TileId, std::vector<Point>> out;
  for (const Point& p : cloud.points) out[any(random)].push_back(p);
  return shared(std::move(out));
}

inline PointCloud merged(const Tiles& tiles) {
  PointCloud cloud;
  for (const auto& [id, points] : tiles)
    cloud.points.insert(cloud.points.end(), points->begin(), points->end());
  return cloud;
}

inline void add_all(ResidentMap& map, const Tiles& tiles) {
  for (const auto& [id, points] : tiles) map.add(id, points);
}

}  // namespace ndt
