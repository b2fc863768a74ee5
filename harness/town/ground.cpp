#include "town/ground.hpp"

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

/// At most 4.7 % steep, 3.8 % along x.
class Hills {
 public:
  explicit Hills(std::uint64_t seed) : random_(seed) {}
  double height(double x, double y) const {
    return 1.0 * wave(x / 130 + east_) + 0.6 * wave((y + 0.25 * x) / 90 + north_);
  }

 private:
  static double phase(IntegerRandom& random) { return static_cast<double>(random.below(2000)) / 1000; }

  IntegerRandom random_;
  double east_ = phase(random_), north_ = phase(random_);
};

/// Height on the two triangles of a cell that meet in the diagonal a = b; a and b from 0 to 1.
double on_triangles(double h00, double h10, double h01, double h11, double a, double b) {
  return a > b ? h00 + a * (h10 - h00) + b * (h11 - h10) : h00 + b * (h01 - h00) + a * (h11 - h01);
}

}  // namespace

Footprint open_area(const Footprint& area, double reach) {
  const auto below = [](double at) {
    return Cells::kEdge * static_cast<double>(whole_below(at / Cells::kEdge));
  };
  return {below(area.x0 - reach), below(area.y0 - reach), below(area.x1 + reach) + Cells::kEdge,
          below(area.y1 + reach) + Cells::kEdge};
}

Ground::Ground(const Footprint& area, const Streets& streets, std::uint64_t seed) : cells_(area) {
  rise(seed);
  for (int row = 0; row < cells_.rows; ++row)
    for (int column = 0; column < cells_.columns; ++column)
      is_block_.push_back(streets.is_block(cells_.x0 + (column + 0.5) * Cells::kEdge,
                                           cells_.y0 + (row + 0.5) * Cells::kEdge));
}

Ground::Ground(const Footprint& area, std::optional<std::uint64_t> seed) : cells_(area) {
  is_block_.assign(cells_.index(0, cells_.rows), false);
  if (seed)
    rise(*seed);
  else
    corner_heights_.assign(static_cast<std::size_t>((cells_.columns + 1) * (cells_.rows + 1)), 0);
}

Ground::Ground(const Footprint& area, Waves waves) : Ground(area, std::nullopt) { waves_ = std::move(waves); }

void Ground::rise(std::uint64_t seed) {
  const Hills hills(seed);
  for (int row = 0; row <= cells_.rows; ++row)
    for (int column = 0; column <= cells_.columns; ++column)
      corner_heights_.push_back(
          hills.height(cells_.x0 + column * Cells::kEdge, cells_.y0 + row * Cells::kEdge));
}

Ground::Corners Ground::corners(int column, int row) const {
  const auto at = [this](int c, int r) {
    return corner_heights_[static_cast<std::size_t>(r) * static_cast<std::size_t>(cells_.columns + 1) +
                           static_cast<std::size_t>(c)];
  };
  return {at(column, row), at(column + 1, row), at(column, row + 1), at(column + 1, row + 1),
          is_block_[cells_.index(column, row)] ? kCurbM : 0.0};
}

double Ground::hill(double x, double y) const {
  if (waves_) return waves_->height(x, y);
  const int column = cells_.column_of(x), row = cells_.row_of(y);
  const Corners h = corners(column, row);
  return on_triangles(h.h00, h.h10, h.h01, h.h11, (x - cells_.x0) / Cells::kEdge - column,
                      (y - cells_.y0) / Cells::kEdge - row);
}

double Ground::height(double x, double y) const {
  return hill(x, y) + corners(cells_.column_of(x), cells_.row_of(y)).raised;
}

double Ground::hit(const Ray& ray, int column, int row, double enter, double leave) const {
  if (waves_) return waves_->hit(ray, enter, leave);
  const Corners h = corners(column, row);
  const auto a = [&](double t) { return (ray.from.x + t * ray.along.x - cells_.x0) / Cells::kEdge - column; };
  const auto b = [&](double t) { return (ray.from.y + t * ray.along.y - cells_.y0) / Cells::kEdge - row; };
  const auto above = [&](double t) {
    return ray.from.z + t * ray.along.z - h.raised - on_triangles(h.h00, h.h10, h.h01, h.h11, a(t), b(t));
  };
  double t = enter, gap = above(enter);
  if (gap < 0) return enter;  // a curb, or the border itself
  // The gap is linear up to the diagonal and from there on.
  const double before = a(enter) - b(enter), after = a(leave) - b(leave);
  const bool crosses = (before < 0) != (after < 0);
  const double ends[] = {crosses ? enter + (leave - enter) * (before / (before - after)) : leave, leave};
  for (const double end : ends) {
    const double end_gap = above(end);
    if (end_gap < 0) return t + (end - t) * (gap / (gap - end_gap));
    t = end;
    gap = end_gap;
  }
  return kNoHit;
}

}  // namespace ndt::harness::town
