// The GPUs of this machine as nvidia-smi knows them. Its library NVML is loaded if it is there: a build
// without the CUDA Toolkit asks too, and one with it needs no driver.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ndt::harness {

/// Memory in use on the GPUs that the driver knows.
struct GpuMemory {
  std::uint64_t bytes = 0;
  bool own = false;  ///< of this process, as nvidia-smi lists it; else of all processes, as in a container
                     ///< that hides which of them is this one
};

/// A reading is nothing if the library, one of its functions, or the answer of a card is missing.
class Nvml {
 public:
  using Card = void*;

  explicit Nvml(const char* library = "libnvidia-ml.so.1");
  /// The library of this process, loaded once.
  static const Nvml& get();

  std::optional<GpuMemory> memory() const;
  /// Finds the cards of these PCI bus ids, or the first card if there are no ids. Empty unless all are found.
  std::vector<Card> cards(const std::vector<std::string>& pci_bus_ids) const;
  /// Energy that the cards took together since the driver was loaded [mJ].
  std::optional<double> energy_mj(std::span<const Card> cards) const;
  /// Share of the driver's last sampling period, 1/6 s to 1 s, in which a kernel ran; the mean of the cards.
  std::optional<double> busy_percent(std::span<const Card> cards) const;

 private:
  struct Memory {
    unsigned long long total, free, used;
  };
  struct Process {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
  };
  struct Utilization {
    unsigned gpu, memory;
  };
  template <class F>
  void load(F& function, const char* name);
  void add_own(Card card, GpuMemory& own) const;

  void* library_;  ///< never unloaded
  bool ready_ = false;
  // As nvml.h declares them. Null if the library has no such function.
  int (*init_)() = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*by_index_)(unsigned, Card*) = nullptr;
  int (*by_bus_id_)(const char*, Card*) = nullptr;
  int (*memory_)(Card, Memory*) = nullptr;
  int (*processes_)(Card, unsigned*, Process*) = nullptr;
  int (*energy_)(Card, unsigned long long*) = nullptr;
  int (*utilization_)(Card, Utilization*) = nullptr;
};

}  // namespace ndt::harness
