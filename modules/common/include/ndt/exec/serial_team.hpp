// One worker, no threads: for unit tests, debuggers, and as the oracle of every other team.
#pragma once

#include "ndt/exec/chunks.hpp"
#include "ndt/exec/lanes.hpp"
#include "ndt/exec/team.hpp"

namespace ndt {

class SerialTeam {
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
  template <class Partial, class Total, class F>
  NDT_BODY Total sum(int n, F&& f) {
    const Chunks chunks(n);
    Total total{};
    for (int c = 0; c < chunks.count; ++c) {
      Partial partial{};
      for (int i = chunks.begin(c); i < chunks.end(c); ++i) f(i, SingleLane{}, partial);
      total += partial;
    }
    return total;
  }
};

}  // namespace ndt
