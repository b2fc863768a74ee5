// The arguments of a launch, and the kernels by team and kind of steps. A file for each team compiles its
// own.
#pragma once

#include "ndt/edge/device_ending.cuh"
#include "ndt/edge/scan_arrival.hpp"
#include "ndt/exec/chunks.hpp"
#include "ndt/exec/device_clock.cuh"
#include "ndt/exec/grid_team.cuh"
#include "persistent_align.hpp"

namespace ndt::gpu_persistent {

/// The data that an alignment alone needs of the host at its start. The points are in pinned memory, from
/// where the kernel copies them to input.scan: that is sooner done than a copy is started.
struct Fetch {
  const Point* points = nullptr;   ///< null: the scan is there already
  ScanArrival* arrival = nullptr;  ///< null: all points are in pinned memory already
  LoopStart start;
};

/// The input of a launch. Arrays hold [poses] elements unless noted.
struct PersistentArguments {
  AlignInput input;
  Fetch fetch;                              ///< of an alignment alone
  const LoopStart* starts = nullptr;        ///< null: the kernel makes them of the guesses
  const Transform* guesses = nullptr;       ///< map-local; unused if there are starts
  LoopOutcome* outcomes = nullptr;          ///< in host memory; the host waits until each `status` is set
  LoopTrace* traces = nullptr;              ///< [poses][max_iterations + 1], or null
  const volatile int* interrupt = nullptr;  ///< a LoopStatus in host memory, or null
  ChunkPlan plan;
  StageCycles* stages = nullptr;      ///< in host memory; unused without NDT_STAGE_CLOCK
  GridExchange* exchanges = nullptr;  ///< one for each alignment of a grid launch
  unsigned team_blocks = 0;  ///< blocks of each; further blocks of an alignment alone have nothing to do
  unsigned first_tag = 0;
  bool trust_region = false;  ///< the kernel to launch
  bool ending_beside = true;  ///< where a team can
};

inline constexpr int kMostBlockThreads = 512;
/// A small block's threads, and how many of them a multiprocessor has registers for.
inline constexpr int kSmallBlockThreads = 256, kSmallBlocks = 2;
/// Barriers of an alignment, each of which takes a tag.
inline constexpr unsigned kBarriers = 1;

using Kernel = void (*)(PersistentArguments);

Kernel kernel_on_grid(bool trust_region);
Kernel kernel_on_cluster(bool trust_region);
Kernel kernel_on_block(bool trust_region);
/// Under a plan for throughput. small: several blocks share a multiprocessor.
Kernel kernel_on_warp_block(bool trust_region, bool small);

}  // namespace ndt::gpu_persistent
