// One side of a block and the objects along it. u runs along the curb with the block to the left, v from the
// curb into the block.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "town/ground.hpp"

namespace ndt::harness::town {

class Front {
 public:
  /// Side 0 to 3 of the block: bottom, right, top, left. Everything on it is drawn from `seed`.
  Front(const Ground& ground, const Footprint& block, int side, std::uint64_t seed);

  /// Appends houses and what divides their gardens, trees, lamps and signs, and the cars parked before them.
  void furnish(std::vector<Solid>& solids);

 private:
  void houses();
  double house(double u);
  void annexe(const Box& house, double u, double v);
  void garden(double u, double width);
  void border(double u, double width, double v);
  void trees();
  void lamps();
  void signs();
  void cars();
  void car(double u);

  /// Between two lengths in millimetres, returned in metres.
  double length(std::int64_t from_mm, std::int64_t to_mm);
  bool one_in(std::int64_t n) { return random_.below(n) == 0; }

  struct Spot {
    double x, y, ground;
  };
  Spot spot(double u, double v) const;
  /// A box about (u, v), from `bottom` to `top` above the ground there; `turn` is half the tangent of its own
  /// angle.
  Box box(double u, double v, double along, double across, double bottom, double top, double turn = 0) const;
  void pole(double u, double v, double radius, double height);
  void crown(double u, double v, double radius, double half_height, double centre, std::uint64_t filled);

  const Ground& ground_;
  IntegerRandom random_;
  double x_, y_, length_;
  Heading along_;
  std::vector<Solid>* solids_ = nullptr;
};

}  // namespace ndt::harness::town
