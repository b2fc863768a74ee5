// What the registration takes at most, in one place. Past a limit an input is refused by name, value and bounds. What the
// readers of files take is in ndt/harness/io/read_limits.hpp.
#pragma once

namespace ndt {

struct Limits {
  static constexpr int kCell = 1 << 20;  ///< voxel coordinates lie in [-kCell, kCell): 21 bits an axis in a 64-bit key
  static constexpr double kResolutionLeastM = 0.001;
  static constexpr double kResolutionMostM = 1000;
  static constexpr double kStepM = 100;        ///< longest step; metres and radians
  static constexpr double kEpsilonM = 10;      ///< stop length
  static constexpr int kIterations = 1000;     ///< of one alignment
  static constexpr int kVoxelPointsLeast = 3;  ///< of the option min-points: fewer have no covariance
  static constexpr int kVoxelPointsMost = 1000000;
  static constexpr double kRegularisation = 1000;  ///< weight
  static constexpr int kThreads = 256;             ///< CPU workers
  static constexpr double kRigid = 1e-3;  ///< |R Rt - I| in every entry: float32 matrices are off by about 1e-6
};

}  // namespace ndt
