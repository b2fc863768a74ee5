#include "run/load_meter.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "base/clock.hpp"
#include "base/package_energy.hpp"
#include "base/process.hpp"
#include "ndt/cuda/device.hpp"

namespace ndt::harness {
namespace {

std::optional<double> difference(const std::optional<double>& after, const std::optional<double>& before) {
  return after && before ? std::optional(*after - *before) : std::nullopt;
}

std::optional<double> divided(const std::optional<double>& value, double by) {
  return value ? std::optional(*value / by) : std::nullopt;
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

LoadMeter::LoadMeter(const Nvml& nvml, std::vector<Nvml::Card> cards)
    : nvml_(nvml), cards_(std::move(cards)) {
  if (cards_.empty()) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // lets the work before end
  const std::optional<double> before = nvml_.energy_mj(cards_);
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const std::optional<double> mj = difference(nvml_.energy_mj(cards_), before);
  idle_w_ = divided(mj, watch.elapsed_us() / 1e3);
}

Load LoadMeter::measure(double seconds, const std::function<void()>& call) const {
  constexpr double kLookS = 0.1;
  constexpr double kPeriodS = 1;  // longest sampling period of a driver: earlier looks reach back to idleness
  std::vector<double> busy;
  double passed_s = 0, calls = 0;
  double look_s = std::min(seconds, kPeriodS);
  const std::vector<PackageEnergy> packages = package_energies();
  const std::optional<double> gpu_mj = nvml_.energy_mj(cards_);
  const double cpu_s = cpu_seconds(::getpid());
  const Stopwatch watch;
  while (calls == 0 || passed_s < seconds) {
    call();
    ++calls;
    passed_s = watch.elapsed_us() / 1e6;
    if (passed_s < look_s) continue;
    look_s = passed_s + kLookS;
    if (const std::optional<double> percent = nvml_.busy_percent(cards_)) busy.push_back(*percent);
  }
  Load load;
  load.cpu_percent = 100 * (cpu_seconds(::getpid()) - cpu_s) / passed_s;
  load.cpu_energy_mj = divided(energy_between_mj(packages, package_energies()), calls);
  load.gpu_percent = mean(busy);
  if (load.gpu_percent == 0) return load.gpu_percent.reset(), load;
  load.gpu_energy_mj = divided(difference(nvml_.energy_mj(cards_), gpu_mj), calls);
  load.gpu_idle_w = idle_w_;
  return load;
}

std::vector<Nvml::Card> cards_of(const Implementation& entry, const AlignOptions& options) {
  if (!entry.on_device && !entry.own_process) return {};
  const std::vector<CudaDevice>& devices = cuda_state().devices;
  const auto first = static_cast<std::size_t>(options.device),
             last = first + static_cast<std::size_t>(options.devices);
  std::vector<std::string> ids;
  for (std::size_t k = first; k < std::min(last, devices.size()); ++k) ids.push_back(devices[k].pci_bus_id);
  return Nvml::get().cards(ids);
}

}  // namespace ndt::harness
