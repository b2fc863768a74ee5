// The things that stand still around a drive.
#pragma once

#include <cstdint>
#include <vector>

#include "town/drive.hpp"
#include "town/world.hpp"

namespace ndt::harness::town {

/// Blocks of houses between streets, as far as a scanner on the drive sees.
World streets_around(const std::vector<Place>& corners, std::uint64_t seed);

/// The tunnel's stretch of a road along x. Its walls, ceiling and floor are plain and straight.
inline constexpr double kTunnelBeginM = 80, kTunnelEndM = 380;

/// A road along y = 0 on flat ground through a tunnel, with houses and parked cars before and behind it.
World tunnel_on(const std::vector<Place>& corners, std::uint64_t seed);

/// Hills with one thing in 2000 m2, none within 6 m of the drive.
World field_around(const std::vector<Place>& corners, std::uint64_t seed);

}  // namespace ndt::harness::town
