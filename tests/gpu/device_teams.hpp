// Collectives of the CUDA teams, run on the device and answered as plain host values.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "ndt/core/hd.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/score/surface_information.hpp"

namespace ndt {

enum class TeamKind { grid, cluster, block, warp_block };

struct TeamShape {
  const char* name;
  TeamKind kind;
  int blocks;  ///< of a cluster; of a grid the most it is to have, though never more than chunks or resident
               ///< blocks
  int slots;   ///< of a block, where so many fit
  bool throughput = false;  ///< the plan
  unsigned missing = 0;     ///< blocks of a grid that the others wait for and that are not launched
};
inline void PrintTo(const TeamShape& shape, std::ostream* out) { *out << shape.name; }

using DerivativeTotal = Total<DerivativeSums<double>>;

/// Adds what item i contributes: floats that differ from item to item and column to column, 2 pairs and 1
/// point.
template <class Real>
NDT_HD inline void add_test_item(int i, DerivativeSums<Real>& part) {
  Real columns[kDerivativeSums];
  to_array(part, columns);
  for (int k = 0; k < kDerivativeSums; ++k)
    columns[k] += static_cast<Real>(static_cast<float>(i % 97 + 1) / static_cast<float>(k + 1));
  from_array(columns, part);
  part.pairs += 2, part.points += 1;
}

/// The answer of the worker asked in sum s of a launch: of either sign, and as long as an int can be.
NDT_HD inline int test_answer(int s) { return s % 2 == 0 ? 2000000011 - s : s - 2000000011; }

struct SumsRun {
  std::vector<DerivativeTotal> totals;  ///< as once() saw them
  std::vector<int> asked;               ///< times, for each sum
  /// Threads times sums whose answer was not test_answer(), or whose sums had other bits than expected ones.
  unsigned long long mismatches = 0;
};

struct SampleRun {
  SurfaceInformation total;  ///< as once() saw it
  bool beside = false;       ///< it was a side sum
  /// Threads that saw another.
  unsigned long long mismatches = 0;
};
/// The contribution of a sample's item i to an entry.
NDT_HD inline float test_entry(int i, int entry) {
  return static_cast<float>(i % 97 + 1) / static_cast<float>(entry + 1);
}

constexpr int kCollectiveRounds = 20, kCrewItems = 100;

struct CollectiveCounts {
  int blocks = 0;  ///< of the team
  int once = 0, crews = 0, thens = 0, leaders = 0;
  int wrong = 0;  ///< what a thread saw and should not have seen
};
/// The first wait of a grid's block that was in vain.
struct MissingBlock {
  unsigned tag = 0;
  int block = -1;  ///< that did not arrive; -1: all did
};
struct CollectivesRun {
  CollectiveCounts counts;
  std::vector<int> ranks;  ///< threads that have the rank
  std::vector<int> items;  ///< [blocks][kCrewItems], how often each() came by
};

/// A device with one grid's exchange. Functions throw cuda::Error.
class DeviceTeams {
 public:
  DeviceTeams();
  ~DeviceTeams();

  /// Why a shape cannot be launched here; empty if it can. To be asked before anything else.
  static std::string unavailable_reason(const TeamShape& shape);

  /// Sums over items[0], items[1], ... one after the other in one launch planned for items[0]. A grid takes a
  /// tag each. Without shape.missing blocks every answer is kBlockMissing.
  SumsRun sum(const TeamShape& shape, const std::vector<int>& items,
              const std::vector<DerivativeTotal>& expected = {});
  /// Sums a sample of `of` items, in the way of an ending, after three sums of all of them and before
  /// another. A grid makes it beside the third, where it can.
  SampleRun sum_sample(const TeamShape& shape, int of, int items);
  MissingBlock missing_block();
  unsigned next_tag() const;
  /// A new exchange, whose next tag is `first_tag`.
  void restart_tags(unsigned first_tag);
  CollectivesRun collectives(const TeamShape& shape);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ndt
