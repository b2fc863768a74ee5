// One block as a team: an alignment of a batch.
#pragma once

#include "ndt/exec/device_team.cuh"

namespace ndt {

class BlockTeam : public DeviceTeam {
 public:
  __device__ BlockTeam(TeamMemory& memory, const ChunkPlan& plan) : DeviceTeam(memory, plan) {}

  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ bool leads() const { return true; }
  __device__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ void sync() { __syncthreads(); }
  template <class F>
  __device__ void once(F&& f) {
    if (threadIdx.x == 0) f();
  }

  template <template <class> class Sums, class F, class Ask>
  __device__ const Total<Sums<double>>& sum(int n, F&& f, Ask&& ask) {
    const ChunkGroups groups = groups_of(n);
    put_question(ask);
    sum_groups<Sums>(groups, 0, groups.groups, f, memory_.groups[0]);
    __syncthreads();
    return fold_groups<Sums>(memory_.groups[0], groups.groups);
  }

 protected:
  /// Sums the chunks of groups [first_group, last_group) into theirs of `out`, which the block sees after a barrier.
  template <template <class> class Sums, class F>
  __device__ void sum_groups(const ChunkGroups& groups, int first_group, int last_group, F&& f,
                             double (&out)[kChunkGroups][kMostColumns]) {
    const int begin = first_group * groups.per_group, behind = last_group * groups.per_group,
              end = behind < groups.chunks ? behind : groups.chunks;
    const int column = static_cast<int>(threadIdx.x);
    double sum = 0;
    for (int first = begin; first < end; first += plan_.together) {
      sum_chunks<Sums>(groups.cut, first, 1, end, f,
                       [&](int j, int at, double value) { memory_.chunks[j][at] = value; });
      __syncthreads();
      if (column >= kColumns<Sums<float>>) continue;
      for (int chunk = first; chunk < end && chunk < first + plan_.together; ++chunk) {
        if (chunk % groups.per_group == 0) sum = 0;
        sum += memory_.chunks[chunk - first][column];
        if ((chunk + 1) % groups.per_group == 0 || chunk + 1 == end) out[chunk / groups.per_group][column] = sum;
      }
    }
  }
};

}  // namespace ndt
