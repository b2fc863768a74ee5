#include "run/batch_guesses.hpp"

#include <algorithm>
#include <cmath>

namespace ndt::harness {

std::vector<Transform> batch_guesses(const Transform& first, int count) {
  constexpr double kGoldenAngle = 2.399963229728653;
  constexpr double kFull = 1000;  // guesses that fill the disc; later ones lie at its rim
  std::vector<Transform> guesses;
  for (int k = 0; k < count; ++k) {
    const double radius = kBatchReachM * std::sqrt(std::min(1.0, k / kFull)), angle = k * kGoldenAngle;
    guesses.push_back(first * to_transform(Pose{radius * std::cos(angle), radius * std::sin(angle), 0, 0, 0, 0}));
  }
  return guesses;
}

}  // namespace ndt::harness
