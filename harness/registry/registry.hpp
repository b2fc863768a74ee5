// The implementations of all modules in report order, looked up by name.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "ndt/align/implementation.hpp"

namespace ndt::harness {

/// The implementation that all others are compared with: the first.
inline constexpr std::string_view kReference = "cpu_pclomp_ref";
/// The name that lets the harness choose.
inline constexpr std::string_view kAuto = "auto";

/// The oracle first, peers last; without the peers of peers/peer_file.hpp.
std::span<const Implementation> implementations();

/// Takes exec:NAME too, whatever the table. Throws UsageError that lists the names, InputError if the file of
/// a peer cannot be used.
const Implementation& find_implementation(std::string_view name,
                                          std::span<const Implementation> table = implementations());

/// Returns the solver of the 6x6 systems by the name of the implementation: of those that can run here and
/// whose solver depends on the machine.
std::map<std::string, std::string> solvers(std::span<const Implementation> table = implementations());

/// As find_implementation, but throws NoDeviceError if the one named cannot run here. Takes fastest() for
/// "auto".
const Implementation& choose_implementation(std::string_view name,
                                            std::span<const Implementation> table = implementations());

}  // namespace ndt::harness
