// One worker, no threads: for unit tests, debuggers, and as the oracle of every other team.
#pragma once

#include "ndt/exec/chunks.hpp"
#include "ndt/exec/crew.hpp"
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
  template <class F, class Then>
  NDT_BODY void replicated(F&& f, Then&& then) {
    f(SoloCrew{});
    then(SoloCrew{});
  }
  NDT_BODY bool leads() const { return true; }
  template <template <class> class Sums, class F, class Ask>
  NDT_BODY Total<Sums<double>> sum(int n, F&& f, Ask&& ask) {
    const Chunks chunks(n);
    Total<Sums<double>> total;
    total.answer = ask();
    for (int c = 0; c < chunks.count; ++c) add_folded(total.sums, sum_chunk<Sums>(chunks, c, Lanes{}, f));
    return total;
  }
  template <template <class> class Sums, class F>
  NDT_BODY Sums<double> sum(int n, F&& f) {
    return sum<Sums>(n, static_cast<F&&>(f), [] { return 0; }).sums;
  }
};

using SerialTeam = BasicSerialTeam<SingleLane>;

}  // namespace ndt
