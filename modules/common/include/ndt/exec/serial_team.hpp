// One worker, no threads: for unit tests, debuggers, and as the oracle of every other team.
#pragma once

#include "ndt/exec/chunks.hpp"
#include "ndt/exec/lanes.hpp"
#include "ndt/exec/team.hpp"

namespace ndt {

template <class Lanes>
class BasicSerialTeam {
 public:
  NDT_BODY int rank() const { return 0; }
  NDT_BODY int size() const { return 1; }
  NDT_BODY void sync() {}
  template <class F>
  NDT_BODY void once(F&& f) {
    f();
  }
  template <class F>
  NDT_BODY void replicated(F&& f) {
    f();
  }
  template <template <class> class Sums, class F>
  NDT_BODY Sums<double> sum(int n, F&& f) {
    const Chunks chunks(n);
    Sums<double> total;
    for (int c = 0; c < chunks.count; ++c) add_folded(total, sum_chunk<Sums>(chunks, c, Lanes{}, f));
    return total;
  }
};

using SerialTeam = BasicSerialTeam<SingleLane>;

}  // namespace ndt
