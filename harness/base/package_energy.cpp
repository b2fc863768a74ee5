#include "base/package_energy.hpp"

#include <fstream>
#include <string>

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

/// Tells a package, which contains its cores and memory, from its parts and from the whole board ("psys").
bool is_package(const fs::path& zone) {
  std::string name;
  return zone.filename().string().starts_with("intel-rapl:") && std::ifstream(zone / "name") >> name &&
         name.starts_with("package");
}

}  // namespace

std::vector<PackageEnergy> package_energies(const fs::path& folder) {
  std::vector<PackageEnergy> packages;
  std::error_code missing;
  for (fs::directory_iterator zone(folder, missing), end; !missing && zone != end; zone.increment(missing)) {
    if (!is_package(*zone)) continue;
    PackageEnergy package;
    if (!(std::ifstream(zone->path() / "energy_uj") >> package.uj) ||
        !(std::ifstream(zone->path() / "max_energy_range_uj") >> package.range_uj))
      return {};
    packages.push_back(package);
  }
  return packages;
}

std::optional<double> energy_between_mj(const std::vector<PackageEnergy>& before,
                                        const std::vector<PackageEnergy>& after) {
  if (before.empty() || before.size() != after.size()) return std::nullopt;
  double uj = 0;
  for (std::size_t k = 0; k < before.size(); ++k)
    uj += after[k].uj - before[k].uj + (after[k].uj < before[k].uj ? after[k].range_uj : 0);
  return uj / 1e3;
}

}  // namespace ndt::harness
