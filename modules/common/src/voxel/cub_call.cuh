// How this module calls CUB: on its Context's stream, with scratch memory that grows.
#pragma once

#include <cstddef>

#include "ndt/cuda/buffer.cuh"

namespace ndt {

using CubScratch = cuda::DeviceBuffer<std::byte>;

/// f(scratch, bytes) is a CUB algorithm: asked for the bytes it needs, then run. `launches`: kernels it starts.
template <class F>
void cub_call(cuda::Context& context, CubScratch& scratch, const char* api, int launches, F&& f) {
  std::size_t bytes = 0;
  context.call(api, [&] { return f(static_cast<void*>(nullptr), bytes); });
  scratch.reserve(bytes > 0 ? bytes : 1);  // a null pointer would ask once more
  context.library_call(api, launches, [&] { return f(static_cast<void*>(scratch.data()), bytes); });
}

}  // namespace ndt
