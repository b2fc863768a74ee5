// A stand-in for thrust::async::transform: fast_gicp uses it, and CUDA 13 removed it. It returns when done.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

namespace thrust {
namespace system::cuda {
struct unique_eager_event {
  void wait() {}
};
}  // namespace system::cuda
namespace async {
template <class Begin, class End, class Out, class Function>
system::cuda::unique_eager_event transform(Begin first, End last, Out out, Function function) {
  thrust::transform(first, last, out, function);
  return {};
}
}  // namespace async
}  // namespace thrust
