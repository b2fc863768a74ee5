#include "registry/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "ndt/implementations.hpp"
#include "ndt/pcl_ndt/implementations.hpp"
#include "peers/peer_file.hpp"
#include "peers/peers.hpp"

namespace ndt::harness {

std::span<const Implementation> implementations() {
  static const std::vector<Implementation> all = [] {
    std::vector<Implementation> out;
    for (const auto part : {ndt::implementations, pcl_ndt::implementations})
      out.insert(out.end(), part().begin(), part().end());
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

std::map<std::string, std::string> solvers(std::span<const Implementation> table) {
  std::map<std::string, std::string> out;
  for (const Implementation& entry : table)
    if (entry.solver && entry.unavailable_reason().empty()) out.emplace(entry.name, entry.solver());
  return out;
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
