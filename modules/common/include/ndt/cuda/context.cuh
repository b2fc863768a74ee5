// The place of every CUDA call of an aligner: a stream on a device, and what it tells of a call that failed.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <stdexcept>
#include <utility>

#include "ndt/align/align_options.hpp"
#include "ndt/core/counters.hpp"
#include "ndt/core/error.hpp"

namespace ndt::cuda {

/// "<file>:<line>: cudaMallocAsync: out of memory (cudaErrorMemoryAllocation)".
class Error : public std::runtime_error {
 public:
  Error(const char* api, cudaError_t code, const std::source_location& where);
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Whether after this error the process can no longer use the device. Only a new process helps then.
bool is_sticky(cudaError_t code);

/// For tests: makes the `nth` next call of any Context (1 is the next) return `code` without being made. 0
/// disarms.
void inject_fault(int nth, cudaError_t code);
/// For tests: the next cooperative launch of any Context has one block only, so that it waits in vain for the
/// others.
void inject_missing_blocks();
/// Number of calls that Contexts made so far in this process, and of allocations that are not yet freed.
long long calls_made();
long long live_allocations();

// One stream on one device with its memory pool. Every CUDA call of an aligner goes through its Context,
// which checks and counts it.

/// Makes a device current for this thread, and what was current before again when it ends: the caller's
/// choice is the caller's. Where there is one device there is no choice, and it does nothing.
class OnDevice {
 public:
  explicit OnDevice(int device);
  ~OnDevice() {
    if (before_ >= 0) (void)cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = -1;  ///< -1: nothing was changed
};

/// Extent of a launch: blocks in x and y, threads of a block in x.
struct Grid {
  unsigned blocks = 1, threads = 1, blocks_y = 1;
  unsigned shared_bytes = 0;
  unsigned cluster = 1;      ///< blocks in x that share their shared memory
  bool cooperative = false;  ///< all blocks at once or not at all
};

/// Returns the grid to launch: `grid` itself, unless a test asked for missing blocks.
Grid launched(const Grid& grid);

/// Blocks of 256 threads for n items, times `blocks_y`.
Grid grid_for(long long n, unsigned blocks_y = 1);

/// Leaves the thread's current device as it was. Not thread-safe. A sticky error makes the Context *lost*:
/// every later call throws the first Error again at once, and destructors free what can still be freed and
/// report nothing.
class Context {
 public:
  /// Throws std::invalid_argument if there are not as many devices, Error if this one cannot be used.
  explicit Context(int device = 0, Wait wait = Wait::spin, StreamPriority priority = StreamPriority::normal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  int priority() const { return priority_; }  ///< of the stream, as CUDA numbers them; 0: normal
  Wait wait() const { return wait_; }
  const Traffic& traffic() const { return traffic_; }
  bool lost() const { return lost_ != nullptr; }
  /// Gives up on work that does not come to an end, and throws `why`, as every later call does. What the
  /// device may still use is never freed.
  [[noreturn]] void abandon(const DeviceHung& why);

  /// Makes a call, `f() -> cudaError_t`, that is counted in none of the totals. Throws Error.
  template <class F>
  void call(const char* api, F&& f, const std::source_location& where = std::source_location::current()) {
    const OnDevice here(device_);
    before(api, where);
    after(api, f(), where);
  }
  /// Launches a kernel.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), const Grid& grid, Arguments&&... arguments) {
    launch_at(std::source_location::current(), kernel, grid, std::forward<Arguments>(arguments)...);
  }
  template <class... Parameters, class... Arguments>
  void launch_at(const std::source_location& where, void (*kernel)(Parameters...), const Grid& grid,
                 Arguments&&... arguments) {
    const OnDevice here(device_);
    before("cudaLaunchKernelEx", where);
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(launched(grid).blocks, grid.blocks_y);
    config.blockDim = dim3(grid.threads);
    config.dynamicSmemBytes = grid.shared_bytes;
    config.stream = stream_;
    cudaLaunchAttribute attributes[2]{};
    config.attrs = attributes;
    if (grid.cooperative) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (grid.cluster > 1) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs++].val.clusterDim = {grid.cluster, 1, 1};
    }
    after("cudaLaunchKernelEx", cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...),
          where);
    ++traffic_.launches;
  }
  /// Calls a library function that starts `launches` kernels.
  template <class F>
  void library_call(const char* api, int launches, F&& f,
                    const std::source_location& where = std::source_location::current()) {
    call(api, std::forward<F>(f), where);
    traffic_.launches += launches;
  }

  /// Asynchronous copies; host memory must stay as it is until synchronise(), and be pinned to be fast.
  void upload(void* device, const void* host, std::size_t bytes,
              const std::source_location& where = std::source_location::current());
  void download(void* host, const void* device, std::size_t bytes,
                const std::source_location& where = std::source_location::current());
  /// Uploads a copy: the host memory may change as soon as this returns. Waits only for a copy that is larger
  /// than kStagingBytes, or where the room for so many is full.
  void upload_copy(void* device, const void* host, std::size_t bytes,
                   const std::source_location& where = std::source_location::current());
  /// Downloads, and waits until everything is done.
  void fetch(void* host, const void* device, std::size_t bytes,
             const std::source_location& where = std::source_location::current());
  /// Pinned memory for what a kernel tells the host, which reads it after the next wait and before it asks
  /// for more.
  template <class T>
  T* room_for_result(const std::source_location& where = std::source_location::current()) {
    static_assert(sizeof(T) <= kStagingBytes);
    count_download(sizeof(T));
    return reinterpret_cast<T*>(stage(sizeof(T), where));
  }
  /// Pinned memory for these three, allocated when it is first needed.
  static constexpr std::size_t kStagingBytes = std::size_t{256} << 10;
  void fill_bytes(void* device, int value, std::size_t bytes,
                  const std::source_location& where = std::source_location::current());
  /// Counts a kernel's own reads from pinned host memory, or writes to it, as a copy.
  void count_upload(std::size_t bytes);
  void count_download(std::size_t bytes);
  /// Counts a wait for a kernel's word in pinned memory.
  void count_wait() { ++traffic_.synchronisations; }
  /// Counts the meetings of an alignment, or, given nothing, that they are not known.
  void count_meetings(const std::optional<Meetings>& meetings) { add(meetings, traffic_.meetings); }
  void launch_graph(cudaGraphExec_t graph,
                    const std::source_location& where = std::source_location::current());
  /// Has the device do what comes after only when what another stream of it has been given by now is done.
  /// The host does not wait.
  void wait_for(cudaStream_t other, const std::source_location& where = std::source_location::current());
  /// Waits until everything is done, as Wait says; errors of kernels appear here.
  void synchronise(const std::source_location& where = std::source_location::current());

  /// Whether everything is done, without waiting.
  bool done(const std::source_location& where = std::source_location::current());
  /// Sleeps until everything is done, and counts no wait.
  void sleep(const std::source_location& where = std::source_location::current());
  /// Rests between two looks at what the device is to write: pauses, lets other threads run, or naps.
  void rest() const;

  /// Waits for the device and ignores errors. A caller that unwinds needs this before it frees memory that
  /// the device may still read or write.
  void settle() noexcept;

  /// Allocates device memory in stream order. Throws Error (cudaErrorMemoryAllocation).
  void* allocate(std::size_t bytes, const std::source_location& where = std::source_location::current());
  void free(void* device, std::size_t bytes) noexcept;
  /// Bytes of device memory that allocate() can give: what the pool keeps and nobody uses and, if that is
  /// less than `wanted`, what is free, too. To ask for the latter takes longer than to build a small map, so
  /// that the pool then takes as much, if it is not more than it keeps anyway.
  std::uint64_t available(std::uint64_t wanted,
                          const std::source_location& where = std::source_location::current());
  /// If there is more to give: waits, and gives what the pool keeps and nobody uses back to the device, but
  /// for kSpareBytes: maps that follow a vehicle need them again for the next. Ignores errors: at worst the
  /// pool keeps all.
  void trim() noexcept;
  static constexpr std::uint64_t kSpareBytes = std::uint64_t{256} << 20;
  void* allocate_pinned(std::size_t bytes,
                        const std::source_location& where = std::source_location::current());
  void free_pinned(void* host) noexcept;

 private:
  /// Returns the number of bytes that the pool keeps and nobody uses.
  std::uint64_t spare() const;
  /// Takes so many bytes into the pool. Ignores errors: at worst the next is asked for again.
  void grow(std::uint64_t bytes) noexcept;
  /// Room for so many bytes of the staging memory until the next wait; null if it has not as many at all.
  char* stage(std::size_t bytes, const std::source_location& where);
  void before(const char* api, const std::source_location& where);
  void after(const char* api, cudaError_t code, const std::source_location& where);
  void release() noexcept;

  int device_ = 0, priority_ = 0;
  Wait wait_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t reached_ = nullptr;    ///< of wait_for(), once it is needed
  cudaEvent_t slept_for_ = nullptr;  ///< of sleep(), once it is needed
  cudaMemPool_t pool_ = nullptr;     ///< null if the device has none; then plain cudaMalloc serves
  char* staging_ = nullptr;          ///< [kStagingBytes]
  std::size_t staged_ = 0;           ///< bytes of it that the device may still read or write
  Traffic traffic_;
  std::exception_ptr lost_;
  bool abandoned_ = false;
};

}  // namespace ndt::cuda
