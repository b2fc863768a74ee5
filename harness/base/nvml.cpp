#include "base/nvml.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

namespace ndt::harness {
namespace {

constexpr int kSuccess = 0;

/// Calls an NVML function with its arguments. False if it is missing or fails.
template <class... Parameters, class... Arguments>
bool done(int (*function)(Parameters...), Arguments... arguments) {
  return function != nullptr && function(arguments...) == kSuccess;
}

}  // namespace

Nvml::Nvml(const char* library) : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) return;
  load(init_, "nvmlInit_v2");
  load(count_, "nvmlDeviceGetCount_v2");
  load(by_index_, "nvmlDeviceGetHandleByIndex_v2");
  load(by_bus_id_, "nvmlDeviceGetHandleByPciBusId_v2");
  load(memory_, "nvmlDeviceGetMemoryInfo");
  load(processes_, "nvmlDeviceGetComputeRunningProcesses_v3");
  load(energy_, "nvmlDeviceGetTotalEnergyConsumption");
  load(utilization_, "nvmlDeviceGetUtilizationRates");
  ready_ = done(init_);
}

const Nvml& Nvml::get() {
  static const Nvml nvml;
  return nvml;
}

template <class F>
void Nvml::load(F& function, const char* name) {
  function = reinterpret_cast<F>(::dlsym(library_, name));
}

std::optional<GpuMemory> Nvml::memory() const {
  unsigned count = 0;
  if (!ready_ || !done(count_, &count) || count == 0) return std::nullopt;
  GpuMemory own{0, false}, all{0, false};
  for (unsigned i = 0; i < count; ++i) {
    Card card = nullptr;
    Memory memory{};
    if (!done(by_index_, i, &card) || !done(memory_, card, &memory)) continue;
    all.bytes += memory.used;
    add_own(card, own);
  }
  return own.own ? own : all;
}

void Nvml::add_own(Card card, GpuMemory& own) const {
  std::vector<Process> processes(256);
  auto n = static_cast<unsigned>(processes.size());
  if (!done(processes_, card, &n, processes.data())) return;
  for (unsigned k = 0; k < n; ++k)
    if (processes[k].pid == static_cast<unsigned>(::getpid()) && processes[k].used != ~0ULL)
      own.bytes += processes[k].used, own.own = true;
}

std::vector<Nvml::Card> Nvml::cards(const std::vector<std::string>& pci_bus_ids) const {
  if (!ready_) return {};
  std::vector<Card> found(std::max<std::size_t>(pci_bus_ids.size(), 1));
  if (pci_bus_ids.empty()) return done(by_index_, 0U, &found[0]) ? found : std::vector<Card>();
  for (std::size_t k = 0; k < found.size(); ++k)
    if (!done(by_bus_id_, pci_bus_ids[k].c_str(), &found[k])) return {};
  return found;
}

std::optional<double> Nvml::energy_mj(std::span<const Card> cards) const {
  double sum = 0;
  for (const Card card : cards) {
    unsigned long long mj = 0;
    if (!done(energy_, card, &mj)) return std::nullopt;
    sum += static_cast<double>(mj);
  }
  return cards.empty() ? std::nullopt : std::optional(sum);
}

std::optional<double> Nvml::busy_percent(std::span<const Card> cards) const {
  double sum = 0;
  for (const Card card : cards) {
    Utilization now{};
    if (!done(utilization_, card, &now)) return std::nullopt;
    sum += now.gpu;
  }
  return cards.empty() ? std::nullopt : std::optional(sum / static_cast<double>(cards.size()));
}

}  // namespace ndt::harness
