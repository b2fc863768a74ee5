// The energy of the processor's packages, from the counters of RAPL [Linux, Documentation/power/powercap].
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace ndt::harness {

/// A package's counter. It begins again past its range.
struct PackageEnergy {
  double uj = 0, range_uj = 0;
};

/// Reads all packages. Empty unless every counter can be read, for which most systems ask for root.
std::vector<PackageEnergy> package_energies(const std::filesystem::path& folder = "/sys/class/powercap");

/// Energy between two readings, of all packages together [mJ]; nothing without a package.
std::optional<double> energy_between_mj(const std::vector<PackageEnergy>& before,
                                        const std::vector<PackageEnergy>& after);

}  // namespace ndt::harness
