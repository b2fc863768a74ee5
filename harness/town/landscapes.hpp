// Curved and rough things on both sides of a straight way along x. A benchmark of boxes alone would flatter
// methods that fit planes.
#pragma once

#include <cstdint>
#include <vector>

#include "town/drive.hpp"
#include "town/world.hpp"

namespace ndt::harness::town {

/// Hills and rough ground, trees, bushes, low walls at any angle and a round house.
World park_around(const std::vector<Place>& corners, std::uint64_t seed);

/// Crooked fronts with sills and balconies, round towers, rounded cars, posts and a few trees.
World oldtown_around(const std::vector<Place>& corners, std::uint64_t seed);

/// Tanks, spheres and pipes on nearly flat ground, with few boxes.
World works_around(const std::vector<Place>& corners, std::uint64_t seed);

/// Trunks, crowns and undergrowth on the roughest ground.
World woods_around(const std::vector<Place>& corners, std::uint64_t seed);

}  // namespace ndt::harness::town
