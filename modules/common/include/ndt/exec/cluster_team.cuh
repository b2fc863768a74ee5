// A thread-block cluster as a team: its blocks hand one another their sums through distributed shared memory.
// sm_90 and later.
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

#include <cooperative_groups.h>

#include "ndt/exec/block_team.cuh"

namespace ndt {

class ClusterTeam : public BlockTeam {
 public:
  __device__ ClusterTeam(TeamMemory& memory, const ChunkPlan& plan)
      : BlockTeam(memory, plan),
        blocks_(static_cast<int>(cluster().num_blocks())),
        block_(static_cast<int>(cluster().block_rank())) {
    sync();  // another block's shared memory may be written only once that block has started
  }

  __device__ int rank() const {
    return block_ * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  }
  __device__ bool leads() const { return block_ == 0; }
  __device__ int size() const { return blocks_ * static_cast<int>(blockDim.x); }
  __device__ int blocks() const { return blocks_; }
  __device__ void sync() {
    cluster().sync();
    count_meeting(Meeting::team_barrier);
  }
  template <class F>
  __device__ void once(F&& f) {
    if (rank() == 0) f();
  }

  /// Uses the two copies of memory_.groups in turn. A block may write its part of sum k+1 while another still
  /// folds sum k, but it reaches sum k+2 only after the other has folded sum k and arrived at sync() in sum
  /// k+1.
  template <template <class> class Sums, int Width = 0, class Items, class F, class Ask>
  __device__ const Total<Sums<double>>& sum(const Items& n, F&& f, Ask&& ask) {
    const auto& groups = groups_of(n);
    const int share = (groups.groups + blocks_ - 1) / blocks_,
              first = block_ * share < groups.groups ? block_ * share : groups.groups,
              last = first + share < groups.groups ? first + share : groups.groups;
    auto& all = memory_.groups[parity_ ^= 1];
    if (block_ == 0) put_question(ask);
    sum_groups<Sums, Width>(groups, cut_of(groups, n), first, last, f, all);
    block_barrier();
    hand_out<kColumns<Sums<float>>>(first, last, all);
    sync();
    count_meeting(Meeting::exchange);
    return fold_groups<Sums>(all, groups.groups);
  }

 private:
  __device__ static cooperative_groups::cluster_group cluster() { return cooperative_groups::this_cluster(); }

  /// Writes groups [first, last) into every other block's memory.
  template <int Columns>
  __device__ void hand_out(int first, int last, double (&groups)[kChunkGroups][kMostColumns]) {
    const int count = (last - first) * Columns;
    for (int i = static_cast<int>(threadIdx.x); i < blocks_ * count; i += static_cast<int>(blockDim.x)) {
      const int to = i / count, group = first + i % count / Columns, column = i % count % Columns;
      if (to == block_) continue;
      double* there = cluster().map_shared_rank(&groups[group][column], to);
      *there = groups[group][column];
    }
  }

  int blocks_, block_;
  int parity_ = 0;
};

}  // namespace ndt

#endif
