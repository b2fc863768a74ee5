#include "town/drive.hpp"

namespace ndt::harness::town {
namespace {

constexpr double kTurnRadius = 8;
constexpr double kTurnLength = kTurnRadius * 1.5707963267948966;  // a quarter of a circle

Heading left_of(const Heading& h) { return {-h.s, h.c}; }

Place moved(const Place& from, double metres, const Heading& towards) {
  return {from.x + metres * towards.c, from.y + metres * towards.s};
}

/// One of the four directions.
Heading direction(const Place& from, const Place& to) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  return {static_cast<double>((dx > 0) - (dx < 0)), static_cast<double>((dy > 0) - (dy < 0))};
}

double distance(const Place& a, const Place& b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }

}  // namespace

Drive::Drive(const std::vector<Place>& corners, double right_m) {
  Heading heading = direction(corners[0], corners[1]);
  Place from = moved(corners[0], -right_m, left_of(heading));
  for (std::size_t i = 1; i < corners.size(); ++i) {
    Place to = moved(corners[i], -right_m, left_of(heading));
    if (i + 1 == corners.size()) {
      pieces_.push_back({from, heading, distance(from, to), 0});
      break;
    }
    const Heading next = direction(corners[i], corners[i + 1]);
    to = moved(to, -right_m, left_of(next));  // where the two lanes cross
    const Place turn = moved(to, -kTurnRadius, heading);
    pieces_.push_back({from, heading, distance(from, turn), 0});
    pieces_.push_back({turn, heading, kTurnLength, heading.c * next.s - heading.s * next.c > 0 ? 1 : -1});
    from = moved(to, kTurnRadius, next);
    heading = next;
  }
}

double Drive::length_m() const {
  double sum = 0;
  for (const Piece& piece : pieces_) sum += piece.length;
  return sum;
}

int Drive::turns() const {
  int count = 0;
  for (const Piece& piece : pieces_) count += piece.turn != 0;
  return count;
}

std::vector<Drive::Stretch> Drive::turn_stretches() const {
  std::vector<Stretch> turns;
  double begin = 0;
  for (const Piece& piece : pieces_) {
    if (piece.turn != 0) turns.push_back({begin, begin + piece.length});
    begin += piece.length;
  }
  return turns;
}

Drive::Stop Drive::at(double s) const {
  std::size_t i = 0;
  for (; i + 1 < pieces_.size() && s > pieces_[i].length; ++i) s -= pieces_[i].length;
  const Piece& piece = pieces_[i];
  if (piece.turn == 0) return {moved(piece.from, s, piece.heading), piece.heading};

  const double share = s / piece.length, square = share * share;
  const Heading turned =
      heading_of(share * (0.7854 + square * (0.1616 + square * 0.053)));  // nearly tan of 45 degrees
  const Heading inwards = left_of(piece.heading);
  const Place ahead = moved(piece.from, kTurnRadius * turned.s, piece.heading);
  return {moved(ahead, piece.turn * kTurnRadius * (1 - turned.c), inwards),
          piece.heading * Heading{turned.c, piece.turn * turned.s}};
}

Transform sensor_pose(const Ground& ground, const Drive::Stop& stop) {
  constexpr double kHalfBase = 1.4, kHalfTrack = 0.8, kMast = 1.8;
  const auto wheel = [&](double ahead, double left) {
    const Place p = moved(moved(stop.place, ahead, stop.heading), left, left_of(stop.heading));
    return ground.hill(p.x, p.y);
  };
  const double front_left = wheel(kHalfBase, kHalfTrack), front_right = wheel(kHalfBase, -kHalfTrack);
  const double rear_left = wheel(-kHalfBase, kHalfTrack), rear_right = wheel(-kHalfBase, -kHalfTrack);
  const double climb = (front_left + front_right - rear_left - rear_right) / (4 * kHalfBase);
  const double lean = (front_left + rear_left - front_right - rear_right) / (4 * kHalfTrack);

  const Heading& h = stop.heading;
  const Vec3<double> x = unit({h.c, h.s, climb});
  const Vec3<double> across{-h.s, h.c, lean};
  const Vec3<double> y = unit(across - dot(across, x) * x);
  const Vec3<double> z{x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x};
  const Vec3<double> foot{stop.place.x, stop.place.y,
                          (front_left + front_right + rear_left + rear_right) / 4};
  return make_transform({{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}}, foot + kMast * z);
}

}  // namespace ndt::harness::town
