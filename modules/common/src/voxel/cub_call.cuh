// Calls CUB on a Context's stream.
#pragma once

#include <cstddef>

#include "ndt/cuda/context.cuh"

namespace ndt {

/// The bytes of scratch memory that f(scratch, bytes), a CUB algorithm, needs. What it works on need not be
/// there yet. At least 1, because with a null pointer CUB would report the bytes again and not run.
template <class F>
std::size_t cub_bytes(cuda::Context& context, const char* api, F&& f) {
  std::size_t bytes = 0;
  context.call(api, [&] { return f(static_cast<void*>(nullptr), bytes); });
  return bytes > 0 ? bytes : 1;
}

/// Runs it. launches: the kernels it starts.
template <class F>
void cub_call(cuda::Context& context, std::byte* scratch, std::size_t bytes, const char* api, int launches,
              F&& f) {
  context.library_call(api, launches, [&] { return f(static_cast<void*>(scratch), bytes); });
}

}  // namespace ndt
