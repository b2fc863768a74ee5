#include "town/front.hpp"

namespace ndt::harness::town {
namespace {

constexpr double kCorner = 4.5;    // from the corner of the block to its first house
constexpr double kPavement = 3.2;  // from the curb to the gardens

}  // namespace

Front::Front(const Ground& ground, const Footprint& block, int side, std::uint64_t seed)
    : ground_(ground),
      random_(seed),
      x_(side == 0 || side == 3 ? block.x0 : block.x1),
      y_(side == 0 || side == 1 ? block.y0 : block.y1),
      length_(side % 2 == 0 ? block.x1 - block.x0 : block.y1 - block.y0) {
  constexpr Heading kDirections[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  along_ = kDirections[side];
}

void Front::furnish(std::vector<Solid>& solids) {
  solids_ = &solids;
  houses();
  trees();
  lamps();
  signs();
  cars();
}

double Front::length(std::int64_t from_mm, std::int64_t to_mm) {
  return static_cast<double>(from_mm + random_.below(to_mm - from_mm + 1)) / 1000;
}

Front::Spot Front::spot(double u, double v) const {
  const double x = x_ + u * along_.c - v * along_.s, y = y_ + u * along_.s + v * along_.c;
  return {x, y, ground_.height(x, y)};
}

Box Front::box(double u, double v, double along, double across, double bottom, double top,
               double turn) const {
  const Spot at = spot(u, v);
  return {.x = at.x,
          .y = at.y,
          .heading = along_ * heading_of(turn),
          .half_u = along / 2,
          .half_v = across / 2,
          .z0 = at.ground + bottom,
          .z1 = at.ground + top,
          .windows = {}};
}

void Front::pole(double u, double v, double radius, double height) {
  const Spot at = spot(u, v);
  solids_->push_back(Cylinder{at.x, at.y, radius, at.ground - 0.5, at.ground + height});
}

void Front::crown(double u, double v, double radius, double half_height, double centre,
                  std::uint64_t filled) {
  const Spot at = spot(u, v);
  const std::uint64_t seed = scattered(static_cast<std::uint64_t>(random_.below(std::int64_t{1} << 32)));
  solids_->push_back(Crown{{at.x, at.y, at.ground + centre}, radius, half_height, seed, filled});
}

void Front::houses() {
  for (double u = kCorner; u < length_ - 12;) {
    u += house(u);
    if (one_in(3)) continue;  // terraced
    const double gap = one_in(4) ? length(6000, 14000) : length(1500, 4000);
    if (u + gap < length_ - kCorner) garden(u, gap);
    u += gap;
  }
}

/// Returns the width.
double Front::house(double u) {
  const double width = std::min(length(8000, 20000), length_ - kCorner - u);
  const double depth = length(9000, 13000);
  const double set_back = one_in(3) ? kPavement : length(4200, 8000);
  const auto storeys = static_cast<double>(2 + random_.below(3));
  const double storey = length(2700, 3400);
  const double attic = length(400, 2500);
  const double turn = one_in(2) ? 0 : length(-15, 15);
  Box walls = box(u + width / 2, set_back + depth / 2, width, depth, -2, storeys * storey + attic, turn);
  const double pitch = length(2200, 3600);
  const double window = length(900, 1500);
  const double recess = length(120, 300);
  walls.windows = {.pitch_m = pitch,
                   .width_m = window,
                   .base_z = walls.z0 + 2,
                   .storey_m = storey,
                   .storeys = storeys,
                   .sill_m = 0.9,
                   .height_m = 1.4,
                   .recess_m = recess};
  solids_->push_back(walls);
  if (set_back > kPavement) border(u, width, kPavement);
  if (set_back > 5 && width > 9) annexe(walls, u + length(2000, 7000), set_back);
  return width;
}

/// A porch, bay or balcony on the street side of a house.
void Front::annexe(const Box& house, double u, double v) {
  const double width = length(1800, 3600), depth = length(800, 1800);
  const double storey = house.windows.storey_m;
  const bool balcony = one_in(3);
  Box part = box(u, v - depth / 2 + 0.2, width, depth, 0, 0);
  part.z0 = balcony ? house.windows.base_z + storey : house.z0;
  part.z1 = house.windows.base_z + (balcony ? storey + 1.1 : one_in(2) ? 2.6 : 2 * storey - 0.3);
  solids_->push_back(part);
}

/// Fills the gap between two houses: a wall across it, a shed behind it or bushes.
void Front::garden(double u, double width) {
  border(u, width, kPavement);
  if (width > 5 && one_in(2)) {
    const double depth = length(4000, 7000), height = length(2300, 3200);
    solids_->push_back(box(u + width / 2, 9 + depth / 2, 3.2, depth, -1, height));
  }
  for (double v = length(5000, 8000); v < 16; v += length(2500, 6000)) {
    const double radius = length(500, 1100), at = length(800, 2200);
    crown(u + std::min(at, width - 0.5), v, radius, radius * 0.9, radius * 0.7, 150);
  }
}

/// Hedge, fence, low wall or nothing, following the ground in pieces.
void Front::border(double u, double width, double v) {
  const std::int64_t kind = random_.below(4);
  if (kind == 3) return;
  const double across = kind == 0 ? 0.7 : kind == 1 ? 0.06 : 0.25;
  const double height = length(700, kind == 2 ? 1000 : 1700);
  const double gate = u + length(0, 4000);
  for (double from = u; from < u + width; from += 4) {
    const double to = std::min(from + 4, u + width);
    if (gate >= from && gate < to) continue;
    solids_->push_back(box((from + to) / 2, v, to - from, across, -0.5, height));
  }
}

void Front::trees() {
  if (one_in(4)) return;  // a street without
  for (double u = length(7000, 14000); u < length_ - 8; u += length(9000, 22000)) {
    const double v = length(800, 1200);
    const double trunk = length(2200, 3200), radius = length(1300, 2400), half_height = length(1400, 2600);
    pole(u, v, length(110, 240), trunk + 0.5 * half_height);
    crown(u, v, radius, half_height, trunk + 0.8 * half_height, 80);
    if (one_in(2)) {
      const double beside = length(-1000, 1000);
      crown(u + beside, v + 0.4, 0.7 * radius, 0.7 * half_height, trunk + 1.5 * half_height, 80);
    }
  }
}

void Front::lamps() {
  const double height = length(5000, 7500);
  for (double u = length(1000, 3000); u < length_ - 1; u += length(24000, 30000)) {
    pole(u, 0.5, 0.09, height);
    solids_->push_back(box(u, -0.2, 0.25, 1.6, height - 0.1, height + 0.1));  // the arm, over the street
  }
}

void Front::signs() {
  for (double u = length(4000, 20000); u < length_ - 4; u += length(15000, 45000)) {
    pole(u, 0.4, 0.04, 2.7);
    const double turn = length(-300, 300);
    solids_->push_back(box(u - 0.07, 0.4, 0.05, 0.6, 2.0, 2.6, turn));
  }
}

void Front::cars() {
  for (double u = length(9000, 15000); u < length_ - 12; u += length(5800, 7200))
    if (!one_in(3)) car(u);
}

void Front::car(double u) {
  const double v = Streets::kParking - Streets::kHalfWidth + length(-150, 150);
  const double turn = length(-12, 12);
  if (one_in(6)) {  // a van
    solids_->push_back(box(u, v, 5.2, 1.95, 0.3, 2.3, turn));
    solids_->push_back(box(u + 2.8, v, 0.9, 1.85, 0.3, 1.2, turn));
    return;
  }
  const double along = length(3700, 4700), cabin = length(1800, 2600), top = length(1380, 1650);
  const double shift = length(-500, 500);
  solids_->push_back(box(u, v, along, 1.78, 0.2, 0.88, turn));
  solids_->push_back(box(u + shift, v, cabin, 1.5, 0.88, top, turn));
}

}  // namespace ndt::harness::town
