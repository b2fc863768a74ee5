#include "run/parting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double over(double difference, double scale) {
  if (difference == 0) return 0;
  return scale > 0 ? difference / scale : kInfinity;
}

/// Frobenius norm of a 3x3 block of a - b, or of a.
double block_norm(const Mat6& a, const Mat6* b, int row, int col) {
  double sum = 0;
  for (int i = row; i < row + 3; ++i)
    for (int j = col; j < col + 3; ++j) {
      const double entry = a(i, j) - (b ? (*b)(i, j) : 0);
      sum += entry * entry;
    }
  return std::sqrt(sum);
}

double norm(const Vec6& v) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += v[i] * v[i];
  return std::sqrt(sum);
}

double gradient_difference(const Evaluation& a, const Evaluation& b) {
  double most = 0;
  for (int i = 0; i < 6; ++i) {
    const int block = i < 3 ? 0 : 3;
    const double scale = std::sqrt(std::abs(a.score) * block_norm(a.hessian, nullptr, block, block));
    most = std::max(most, over(std::abs(a.gradient[i] - b.gradient[i]), scale));
  }
  return most;
}

double hessian_difference(const Mat6& a, const Mat6& b) {
  double most = 0;
  for (const int row : {0, 3})
    for (const int col : {0, 3})
      most = std::max(most, over(block_norm(a, &b, row, col), block_norm(a, nullptr, row, col)));
  return most;
}

double whole_norm(const Mat6& h) {
  return std::hypot(std::hypot(block_norm(h, nullptr, 0, 0), block_norm(h, nullptr, 0, 3)),
                    std::hypot(block_norm(h, nullptr, 3, 0), block_norm(h, nullptr, 3, 3)));
}

/// Two angle triples describe a rotation: they differ in the sign of the pitch row and column
/// (core/pose.hpp).
void to_branch_of(const Evaluation& other, Evaluation& evaluation) {
  if (std::abs(other.derivative_pose.pitch - evaluation.derivative_pose.pitch) < kPi / 2) return;
  constexpr int kPitch = 4;
  evaluation.gradient[kPitch] = -evaluation.gradient[kPitch];
  for (int i = 0; i < 6; ++i) {
    evaluation.hessian(i, kPitch) = -evaluation.hessian(i, kPitch);
    evaluation.hessian(kPitch, i) = -evaluation.hessian(kPitch, i);
  }
}

struct Values {
  double a = 0, b = 0, difference = 0;
};

/// One of the first four quantities.
Values compare(Quantity quantity, const Evaluation& a, const Evaluation& b) {
  switch (quantity) {
    case Quantity::neighbours: {
      const auto of_a = static_cast<double>(a.correspondences), of_b = static_cast<double>(b.correspondences);
      return {of_a, of_b, std::abs(of_a - of_b)};
    }
    case Quantity::score: return {a.score, b.score, over(std::abs(a.score - b.score), std::abs(a.score))};
    case Quantity::gradient: return {norm(a.gradient), norm(b.gradient), gradient_difference(a, b)};
    default: return {whole_norm(a.hessian), whole_norm(b.hessian), hessian_difference(a.hessian, b.hessian)};
  }
}

/// Movement between two poses: position, and the rotation's axis times its sine.
Vec6 movement(const Transform& from, const Transform& to) {
  const Vec3<double> moved = translation_of(to) - translation_of(from);
  const Mat3<double> r = rotation_of(to) * transpose(rotation_of(from));
  Vec6 out;
  out[0] = moved.x, out[1] = moved.y, out[2] = moved.z;
  out[3] = (r(2, 1) - r(1, 2)) / 2, out[4] = (r(0, 2) - r(2, 0)) / 2, out[5] = (r(1, 0) - r(0, 1)) / 2;
  return out;
}

Values compare_steps(const Vec6& a, const Vec6& b) {
  const double length_a = norm(a), length_b = norm(b), shorter = std::min(length_a, length_b);
  if (shorter == 0) return {length_a, length_b, 0};  // no direction: alpha tells them apart
  Vec6 apart;
  for (int i = 0; i < 6; ++i) apart[i] = (a[i] / length_a - b[i] / length_b) * shorter;
  return {length_a, length_b, norm(apart)};
}

/// An implementation and the alignment of it that is looked at.
struct Side {
  Aligner& aligner;
  const AlignResult& result;
};

/// Compares two alignments iteration by iteration.
class Comparison {
 public:
  Comparison(Side a, Side b, const PointCloud& scan, const PerScan& per_scan, const PartingBounds& bounds,
             std::size_t levels)
      : a_(a),
        b_(b),
        scan_(scan),
        per_scan_(per_scan),
        bounds_(bounds),
        last_level_(static_cast<int>(levels) - 1) {
    per_scan_.trace = false;
    per_scan_.deadline.reset();  // a clock must not decide where they part
  }

  std::optional<Parting> first() {
    const std::size_t n = std::min(a_.result.trace.size(), b_.result.trace.size());
    for (std::size_t k = 0; k < n; ++k) {
      if (auto parting = at_poses(k)) return parting;
      if (k + 1 < n)
        if (auto parting = in_steps(k)) return parting;
    }
    if (a_.result.trace.size() == b_.result.trace.size() && a_.result.stop == b_.result.stop) return {};
    const Values ends{static_cast<double>(a_.result.iterations), static_cast<double>(b_.result.iterations),
                      0};
    return parting(n - 1, Quantity::end, ends);
  }

 private:
  double bound(Quantity quantity) const { return bounds_.at(static_cast<std::size_t>(quantity)); }

  static Parting parting(std::size_t k, Quantity quantity, const Values& values) {
    return {static_cast<int>(k), quantity, values.a, values.b, values.difference, {}};
  }

  Evaluation evaluate(const Side& side, const Transform& pose) const {
    return side.aligner.evaluate(scan_, pose, per_scan_);
  }

  std::optional<Parting> at_poses(std::size_t k) const {
    const TracePoint &of_a = a_.result.trace[k], &of_b = b_.result.trace[k];
    if (of_a.level != last_level_ || of_b.level != last_level_) {
      const Values scores{of_a.score, of_b.score,
                          over(std::abs(of_a.score - of_b.score), std::abs(of_a.score))};
      if (scores.difference <= bound(Quantity::score)) return {};
      return parting(k, Quantity::score, scores);
    }
    const Evaluation at_a = evaluate(a_, of_a.map_from_scan);
    Evaluation at_b = evaluate(b_, of_b.map_from_scan);
    to_branch_of(at_a, at_b);
    for (const Quantity quantity :
         {Quantity::neighbours, Quantity::score, Quantity::gradient, Quantity::hessian}) {
      const Values values = compare(quantity, at_a, at_b);
      if (values.difference <= bound(quantity)) continue;
      Parting found = parting(k, quantity, values);
      Evaluation there = evaluate(b_, of_a.map_from_scan);
      to_branch_of(at_a, there);
      found.at_one_pose = compare(quantity, at_a, there).difference;
      return found;
    }
    return {};
  }

  std::optional<Parting> in_steps(std::size_t k) const {
    const TracePoint *a = &a_.result.trace[k], *b = &b_.result.trace[k];
    const Values steps = compare_steps(movement(a[0].map_from_scan, a[1].map_from_scan),
                                       movement(b[0].map_from_scan, b[1].map_from_scan));
    if (steps.difference > bound(Quantity::step)) return parting(k, Quantity::step, steps);
    const Values lengths{a[1].step_m, b[1].step_m, std::abs(a[1].step_m - b[1].step_m)};
    if (lengths.difference > bound(Quantity::alpha)) return parting(k, Quantity::alpha, lengths);
    return {};
  }

  Side a_, b_;
  const PointCloud& scan_;
  PerScan per_scan_;
  const PartingBounds& bounds_;
  int last_level_;
};

AlignResult traced(Aligner& aligner, const PointCloud& scan, const Transform& guess, PerScan per_scan) {
  per_scan.trace = true;
  AlignResult result = aligner.align(scan, guess, per_scan);
  if (result.trace.empty())
    throw InputError(
        "diff: an implementation gave no trace of its iterations; choose implementations of this project, "
        "not peers");
  return result;
}

double float_step(const Transform& guess) {
  const Vec3<double> at = translation_of(guess);
  const auto largest = static_cast<float>(std::max({1.0, std::abs(at.x), std::abs(at.y), std::abs(at.z)}));
  return std::nextafter(largest, std::numeric_limits<float>::infinity()) - largest;
}

}  // namespace

AlignmentDiff diff_alignments(Aligner& a, Aligner& b, const PointCloud& scan, const Transform& guess,
                              const PerScan& per_scan, const PartingBounds& bounds, std::size_t levels) {
  AlignmentDiff diff;
  diff.a = traced(a, scan, guess, per_scan);
  diff.b = traced(b, scan, guess, per_scan);
  diff.apart = pose_difference(diff.a.map_from_scan, diff.b.map_from_scan);
  diff.parting = Comparison({a, diff.a}, {b, diff.b}, scan, per_scan, bounds, levels).first();
  if (!diff.parting) return diff;
  FloatSteps steps;
  steps.step_m = float_step(guess);
  for (const int entry : {3, 7, 11})  // of the matrix: x, y, z
    for (const double sign : {1.0, -1.0}) {
      Transform moved = guess;
      moved.m[entry] += sign * steps.step_m;
      const AlignResult from_there = traced(a, scan, moved, per_scan);
      const auto parted = Comparison({a, diff.a}, {a, from_there}, scan, per_scan, bounds, levels).first();
      ++steps.of;
      if (!parted) continue;
      ++steps.parted;
      steps.as_early += parted->iteration <= diff.parting->iteration ? 1 : 0;
      steps.same_way +=
          parted->iteration == diff.parting->iteration && parted->quantity == diff.parting->quantity ? 1 : 0;
      if (!steps.first || parted->iteration < steps.first->iteration) steps.first = parted;
    }
  diff.float_steps = steps;
  return diff;
}

}  // namespace ndt::harness
