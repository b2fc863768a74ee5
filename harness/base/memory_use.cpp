#include "base/memory_use.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <fstream>
#include <vector>

namespace ndt::harness {
namespace {

// As nvml.h has them: a build without the CUDA Toolkit asks, too, and one with it needs no driver.
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlProcess {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
using NvmlDevice = void*;

/// The library's functions; loaded for as long as the process lasts.
class Nvml {
 public:
  Nvml() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    ok_ = load(init_, "nvmlInit_v2") && load(count_, "nvmlDeviceGetCount_v2") &&
          load(device_, "nvmlDeviceGetHandleByIndex_v2") && load(memory_, "nvmlDeviceGetMemoryInfo") &&
          load(processes_, "nvmlDeviceGetComputeRunningProcesses_v3") && init_() == kSuccess;
  }

  std::optional<GpuMemory> used() const {
    unsigned count = 0;
    if (!ok_ || count_(&count) != kSuccess || count == 0) return std::nullopt;
    GpuMemory own{0, false}, all{0, false};
    for (unsigned i = 0; i < count; ++i) {
      NvmlDevice device = nullptr;
      NvmlMemory memory{};
      if (device_(i, &device) != kSuccess || memory_(device, &memory) != kSuccess) continue;
      all.bytes += memory.used;
      add_own(device, own);
    }
    return own.own ? own : all;
  }

 private:
  static constexpr int kSuccess = 0;

  template <class F>
  bool load(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(library_, name));
    return function != nullptr;
  }
  void add_own(NvmlDevice device, GpuMemory& own) const {
    std::vector<NvmlProcess> processes(256);
    auto n = static_cast<unsigned>(processes.size());
    if (processes_(device, &n, processes.data()) != kSuccess) return;
    for (unsigned k = 0; k < n; ++k)
      if (processes[k].pid == static_cast<unsigned>(::getpid()) && processes[k].used != ~0ULL)
        own.bytes += processes[k].used, own.own = true;
  }

  void* library_;
  int (*init_)() = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*device_)(unsigned, NvmlDevice*) = nullptr;
  int (*memory_)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*processes_)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;
  bool ok_ = false;
};

}  // namespace

std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<GpuMemory> gpu_memory() {
  static const Nvml nvml;
  return nvml.used();
}

}  // namespace ndt::harness
