// Calls CUB on a Context's stream, with scratch memory that grows.
#pragma once

#include <cstddef>

#include "ndt/cuda/buffer.cuh"

namespace ndt {

using CubScratch = cuda::DeviceBuffer<std::byte>;

/// Runs f(scratch, bytes), a CUB algorithm: first to learn the bytes it needs, then in earnest. launches: the
/// kernels it starts.
template <class F>
void cub_call(cuda::Context& context, CubScratch& scratch, const char* api, int launches, F&& f) {
  std::size_t bytes = 0;
  context.call(api, [&] { return f(static_cast<void*>(nullptr), bytes); });
  scratch.reserve(bytes > 0 ? bytes : 1);  // with a null pointer CUB would report the bytes again and not run
  context.library_call(api, launches, [&] { return f(static_cast<void*>(scratch.data()), bytes); });
}

}  // namespace ndt
