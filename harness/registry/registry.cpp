#include "registry/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "ndt/gpu_multikernel/implementations.hpp"
#include "ndt/gpu_persistent/implementations.hpp"
#include "ndt/pcl_ndt/implementations.hpp"
#include "peers/peer_file.hpp"
#include "peers/peers.hpp"

namespace ndt::harness {
namespace {

/// A new module is a line here.
constexpr std::span<const Implementation> (*kModules[])() = {
    cpu_pclomp_ref::implementations,
    gpu_multikernel::implementations,
    gpu_persistent::implementations,
    pcl_ndt::implementations,
};

}  // namespace

std::span<const Implementation> implementations() {
  static const std::vector<Implementation> all = [] {
    std::vector<Implementation> out;
    for (const auto module : kModules) out.insert(out.end(), module().begin(), module().end());
    return out;
  }();
  return all;
}

const Implementation& find_implementation(std::string_view name, std::span<const Implementation> table) {
  if (is_peer_name(name)) return peer_implementation(name);
  const auto found = std::ranges::find(table, name, &Implementation::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names{std::string(kAuto)};
  for (const Implementation& entry : table) names.emplace_back(entry.name);
  throw unknown_name("implementation", name, names);
}

const Implementation& choose_implementation(std::string_view name, std::span<const Implementation> table) {
  if (name == kAuto) {
    if (const Implementation* entry = fastest(table)) return *entry;
    throw NoDeviceError("auto: no implementation can run on this machine; ndt-bench list says why");
  }
  const Implementation& entry = find_implementation(name, table);
  if (const std::string reason = entry.unavailable_reason(); !reason.empty())
    throw NoDeviceError(fmt::format("{} cannot run here: {}", name, reason));
  return entry;
}

}  // namespace ndt::harness
