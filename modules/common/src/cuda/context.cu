#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#include "ndt/cuda/context.cuh"
#include "ndt/cuda/device.hpp"

namespace ndt::cuda {
namespace {

// Counts and faults of the whole process, for tests.
std::atomic<long long> calls{0}, allocated{0};
std::atomic<int> fault_in{0};
std::atomic<cudaError_t> fault_code{cudaSuccess};
std::atomic<bool> blocks_missing{false};

/// The error that a test injects into this call, or success.
cudaError_t injected() {
  if (fault_in.load() == 0 || fault_in.fetch_sub(1) != 1) return cudaSuccess;
  return fault_code.load();
}

/// Tells the core that its thread spins, for the sake of the core's other thread.
void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void inject_fault(int nth, cudaError_t code) {
  fault_code = code;
  fault_in = nth;
}
void inject_missing_blocks() { blocks_missing = true; }
long long calls_made() { return calls; }
long long live_allocations() { return allocated; }

Grid launched(const Grid& grid) {
  Grid out = grid;
  if (grid.cooperative && blocks_missing.load(std::memory_order_relaxed) && blocks_missing.exchange(false))
    out.blocks = 1;
  return out;
}

Grid grid_for(long long n, unsigned blocks_y) {
  constexpr long long kThreads = 256;
  const long long blocks = (n + kThreads - 1) / kThreads;
  return {static_cast<unsigned>(blocks > 0 ? blocks : 1), static_cast<unsigned>(kThreads), blocks_y, 0};
}

OnDevice::OnDevice(int device) {
  int current = device;
  if (cuda_state().devices.size() < 2 || cudaGetDevice(&current) != cudaSuccess || current == device) return;
  if (cudaSetDevice(device) == cudaSuccess) before_ = current;
}

Context::Context(int device, Wait wait, StreamPriority priority) : device_(device), wait_(wait) {
  require_device(device);
  try {
    call("cudaSetDevice", [&] { return cudaSetDevice(device_); });
    if (priority == StreamPriority::high)
      call("cudaDeviceGetStreamPriorityRange",
           [&] { return cudaDeviceGetStreamPriorityRange(nullptr, &priority_); });
    call("cudaStreamCreateWithPriority",
         [&] { return cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority_); });
    int pools = 0;
    call("cudaDeviceGetAttribute",
         [&] { return cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device_); });
    if (pools == 0) return;
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, device_};
    call("cudaMemPoolCreate", [&] { return cudaMemPoolCreate(&pool_, &props); });
    // Keeps freed memory in the pool, because a call that allocates must not wait for the device; trim()
    // gives it back.
    std::uint64_t keep = UINT64_MAX;
    call("cudaMemPoolSetAttribute",
         [&] { return cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep); });
  } catch (...) {
    release();
    throw;
  }
}

Context::~Context() { release(); }

void Context::abandon(const DeviceHung& why) {
  lost_ = std::make_exception_ptr(why);
  abandoned_ = true;
  throw why;
}

void Context::release() noexcept {
  if (abandoned_) return;  // to free or destroy anything would wait for the device
  // Ignores errors, because a destructor cannot report them; a lost device frees its memory when the process
  // ends.
  if (stream_ != nullptr) {
    (void)cudaStreamSynchronize(stream_);
    (void)cudaStreamDestroy(stream_);
  }
  if (pool_ != nullptr) (void)cudaMemPoolDestroy(pool_);
  if (staging_ != nullptr) free_pinned(staging_);
  staging_ = nullptr;
  for (const cudaEvent_t event : {reached_, slept_for_})
    if (event != nullptr) (void)cudaEventDestroy(event);
  stream_ = nullptr;
  pool_ = nullptr;
  reached_ = slept_for_ = nullptr;
}

void Context::before(const char* api, const std::source_location& where) {
  if (lost_) std::rethrow_exception(lost_);
  ++calls;
  if (const cudaError_t code = injected(); code != cudaSuccess) after(api, code, where);
}

void Context::after(const char* api, cudaError_t code, const std::source_location& where) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();  // clears the error, unless it is sticky, so that the next call does not see it
  const Error error(api, code, where);
  if (is_sticky(code)) lost_ = std::make_exception_ptr(error);
  throw error;
}

void Context::upload(void* device, const void* host, std::size_t bytes, const std::source_location& where) {
  if (bytes == 0) return;
  call(
      "cudaMemcpyAsync",
      [&] { return cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_); }, where);
  count_upload(bytes);
}

void Context::count_upload(std::size_t bytes) {
  traffic_.upload_bytes += static_cast<std::int64_t>(bytes);
  ++traffic_.uploads;
}

void Context::count_download(std::size_t bytes) {
  traffic_.download_bytes += static_cast<std::int64_t>(bytes);
  ++traffic_.downloads;
}

void Context::download(void* host, const void* device, std::size_t bytes, const std::source_location& where) {
  if (bytes == 0) return;
  call(
      "cudaMemcpyAsync",
      [&] { return cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_); }, where);
  count_download(bytes);
}

char* Context::stage(std::size_t bytes, const std::source_location& where) {
  constexpr std::size_t kAlignment = 256;
  if (bytes > kStagingBytes) return nullptr;
  if (staging_ == nullptr) staging_ = static_cast<char*>(allocate_pinned(kStagingBytes, where));
  if (bytes > kStagingBytes - staged_) synchronise(where);
  char* room = staging_ + staged_;
  staged_ = std::min(kStagingBytes, staged_ + (bytes + kAlignment - 1) / kAlignment * kAlignment);
  return room;
}

void Context::upload_copy(void* device, const void* host, std::size_t bytes,
                          const std::source_location& where) {
  if (bytes == 0) return;
  char* staged = stage(bytes, where);
  if (staged != nullptr) std::memcpy(staged, host, bytes);
  upload(device, staged != nullptr ? staged : host, bytes, where);
  if (staged == nullptr) synchronise(where);
}

void Context::fetch(void* host, const void* device, std::size_t bytes, const std::source_location& where) {
  char* staged = stage(bytes, where);
  download(staged != nullptr ? staged : host, device, bytes, where);
  synchronise(where);
  if (staged != nullptr) std::memcpy(host, staged, bytes);
}

void Context::fill_bytes(void* device, int value, std::size_t bytes, const std::source_location& where) {
  if (bytes == 0) return;
  call(
      "cudaMemsetAsync", [&] { return cudaMemsetAsync(device, value, bytes, stream_); }, where);
}

void Context::launch_graph(cudaGraphExec_t graph, const std::source_location& where) {
  call(
      "cudaGraphLaunch", [&] { return cudaGraphLaunch(graph, stream_); }, where);
  ++traffic_.launches;
}

void Context::wait_for(cudaStream_t other, const std::source_location& where) {
  if (reached_ == nullptr)
    call(
        "cudaEventCreateWithFlags",
        [&] { return cudaEventCreateWithFlags(&reached_, cudaEventDisableTiming); }, where);
  call(
      "cudaEventRecord", [&] { return cudaEventRecord(reached_, other); }, where);
  call(
      "cudaStreamWaitEvent", [&] { return cudaStreamWaitEvent(stream_, reached_, 0); }, where);
}

void Context::sleep(const std::source_location& where) {
  if (slept_for_ == nullptr)
    call(
        "cudaEventCreateWithFlags",
        [&] { return cudaEventCreateWithFlags(&slept_for_, cudaEventBlockingSync | cudaEventDisableTiming); },
        where);
  call(
      "cudaEventRecord", [&] { return cudaEventRecord(slept_for_, stream_); }, where);
  call(
      "cudaEventSynchronize", [&] { return cudaEventSynchronize(slept_for_); }, where);
}

void Context::rest() const {
  constexpr std::chrono::microseconds kNap{50};
  switch (wait_) {
    case Wait::spin: return pause();
    case Wait::yield: return std::this_thread::yield();
    case Wait::block: return std::this_thread::sleep_for(kNap);
  }
}

void Context::synchronise(const std::source_location& where) {
  if (wait_ == Wait::block) sleep(where);
  if (wait_ == Wait::yield)
    while (!done(where)) rest();
  call(
      "cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream_); }, where);
  ++traffic_.synchronisations;
  staged_ = 0;
}

bool Context::done(const std::source_location& where) {
  bool done = false;
  const auto query = [&] {
    const cudaError_t code = cudaStreamQuery(stream_);
    done = code == cudaSuccess;
    return code == cudaErrorNotReady ? cudaSuccess : code;
  };
  call("cudaStreamQuery", query, where);
  return done;
}

void Context::settle() noexcept {
  if (abandoned_) return;
  (void)cudaStreamSynchronize(stream_);
  (void)cudaGetLastError();
  staged_ = 0;
}

void* Context::allocate(std::size_t bytes, const std::source_location& where) {
  void* memory = nullptr;
  if (pool_ != nullptr)
    call(
        "cudaMallocFromPoolAsync", [&] { return cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_); },
        where);
  else
    call(
        "cudaMalloc", [&] { return cudaMalloc(&memory, bytes); }, where);
  ++allocated;
  ++traffic_.allocations;
  traffic_.device_bytes += static_cast<std::int64_t>(bytes);
  if (traffic_.device_bytes > traffic_.peak_device_bytes) traffic_.peak_device_bytes = traffic_.device_bytes;
  return memory;
}

void Context::free(void* device, std::size_t bytes) noexcept {
  if (abandoned_) return;
  if (pool_ != nullptr)
    (void)cudaFreeAsync(device, stream_);
  else
    (void)cudaFree(device);
  (void)cudaGetLastError();
  --allocated;
  traffic_.device_bytes -= static_cast<std::int64_t>(bytes);
}

std::uint64_t Context::spare() const {
  std::uint64_t reserved = 0;
  if (pool_ != nullptr) (void)cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved);
  // Counted here, because the pool counts what is freed in stream order as used until the stream is there.
  const auto used = static_cast<std::uint64_t>(traffic_.device_bytes);
  return reserved > used ? reserved - used : 0;
}

void Context::grow(std::uint64_t bytes) noexcept {
  void* memory = nullptr;
  if (cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_) == cudaSuccess)
    (void)cudaFreeAsync(memory, stream_);
  (void)cudaGetLastError();
}

std::uint64_t Context::available(std::uint64_t wanted, const std::source_location& where) {
  const std::uint64_t kept = spare();
  if (kept >= wanted) return kept;
  std::size_t free = 0, total = 0;
  call(
      "cudaMemGetInfo", [&] { return cudaMemGetInfo(&free, &total); }, where);
  if (pool_ != nullptr && wanted <= kSpareBytes && wanted <= free) grow(wanted);
  return free + kept;
}

void Context::trim() noexcept {
  if (abandoned_ || spare() <= kSpareBytes) return;
  settle();
  (void)cudaMemPoolTrimTo(pool_, static_cast<std::uint64_t>(traffic_.device_bytes) + kSpareBytes);
  (void)cudaGetLastError();
}

void* Context::allocate_pinned(std::size_t bytes, const std::source_location& where) {
  void* memory = nullptr;
  call(
      "cudaHostAlloc", [&] { return cudaHostAlloc(&memory, bytes, cudaHostAllocDefault); }, where);
  ++allocated;
  ++traffic_.allocations;
  return memory;
}

void Context::free_pinned(void* host) noexcept {
  if (abandoned_) return;
  (void)cudaFreeHost(host);
  (void)cudaGetLastError();
  --allocated;
}

namespace {

/// The part of the path inside the repository.
std::string short_path(const char* file) {
  const std::string path(file);
  const auto at = path.rfind("modules/");
  return at == std::string::npos ? path : path.substr(at);
}

}  // namespace

Error::Error(const char* api, cudaError_t code, const std::source_location& where)
    : std::runtime_error(short_path(where.file_name()) + ":" + std::to_string(where.line()) + ": " + api +
                         ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")"),
      code_(code) {}

bool is_sticky(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorDevicesUnavailable:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

}  // namespace ndt::cuda
