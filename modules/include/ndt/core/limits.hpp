// The suite's limits, all in one place. Input past a limit is refused with the limit's name, value and
// bounds; nothing is cut off silently.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ndt {

/// Bounds of everything that is read or asked for.
struct Limits {
  // Clouds, and the files they come from.
  /// Keeps 32-bit indices and byte sums safe.
  static constexpr std::uint64_t kPoints = std::uint64_t{1} << 27;
  static constexpr std::uint64_t kFileBytes = std::uint64_t{16} << 30;    ///< about 128 bytes a point
  static constexpr std::uint64_t kHeaderBytes = std::uint64_t{64} << 10;  ///< comments included
  static constexpr int kTomlLevels = 16;                                  ///< parts of a key; nested brackets
  static constexpr std::uint64_t kTokenBytes = 256;                       ///< one word of text
  static constexpr std::uint64_t kRecordBytes = std::uint64_t{1} << 20;   ///< all fields of one point
  static constexpr std::uint64_t kUnpackedBytes = 0xFFFFFFFF;             ///< PCD counts it in 32 bits
  static constexpr std::uint64_t kPoses = std::uint64_t{1} << 24;         ///< two days at 100 Hz
  static constexpr double kOriginM = 1e9;                                 ///< farther than any place on Earth
  static constexpr double kQuaternionNorm = 1e-3;  ///< |quaternion| - 1: four digits of text
  static constexpr double kRigid = 1e-3;           ///< entries of |R Rt - I|, about 1e-6 for float32 matrices
  static constexpr double kFloatStepM = 0.01;  ///< spacing of float32 coordinates; epsilon if that is longer

  // Run folders.
  static constexpr std::uint64_t kRowBytes = std::uint64_t{64} << 20;       ///< one line of results.jsonl
  static constexpr std::uint64_t kMetadataBytes = std::uint64_t{16} << 20;  ///< datasets.json, and so on

  // Maps.
  static constexpr int kCell = 1 << 20;  ///< voxel coordinates are in [-kCell, kCell): 21 bits each in a key
  static constexpr std::int64_t kVoxels = std::int64_t{1} << 26;  ///< voxels with enough points
  static constexpr double kResolutionLeastM = 0.001;              ///< finest voxel edge [m]
  static constexpr double kResolutionMostM = 1000;                ///< coarsest voxel edge [m]
  static constexpr int kVoxelPointsLeast = 3;  ///< least value of min-points: fewer points have no covariance
  static constexpr int kVoxelPointsMost = 1000000;  ///< largest value of min-points

  // Registrations.
  static constexpr double kStepM = 100;            ///< longest step; metres and radians
  static constexpr double kEpsilonM = 10;          ///< stop length
  static constexpr int kIterations = 1000;         ///< iterations of one alignment
  static constexpr std::size_t kLevels = 4;        ///< voxel maps of one registration
  static constexpr double kLevelLeast = 0.25;      ///< voxel edge of a level over the resolution
  static constexpr double kLevelMost = 16;         ///< the same, at most
  static constexpr double kWindowLeast = 0.05;     ///< edge of a window over the resolution
  static constexpr double kWindowMost = 4;         ///< the same, at most
  static constexpr int kStride = 64;               ///< scan points per point that a coarse level uses
  static constexpr double kRegularisation = 1000;  ///< weight
  static constexpr int kThreads = 256;             ///< CPU workers
  static constexpr int kDevice = 63;               ///< index of a CUDA device
  static constexpr std::size_t kBatch = 65535;     ///< poses of one call

  // Benchmarks.
  static constexpr std::size_t kGrids = 64;  ///< grids of guesses in one study, a bit of a mask each
  static constexpr std::size_t kMeasurements = std::size_t{1} << 22;     ///< of one run
  static constexpr std::size_t kUnaskedAlignments = 1000000;             ///< of a run that asks no one
  static constexpr int kJobMeasurements = 10000;                         ///< their numbers are one argument
  static constexpr std::uint64_t kPlanBytes = std::uint64_t{128} << 20;  ///< plan.json; each job reads it
};

}  // namespace ndt
