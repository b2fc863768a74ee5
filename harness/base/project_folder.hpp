// Presets, catalogue and report: files of the project that the programs read when they run.
#pragma once

#include <filesystem>
#include <string_view>

namespace ndt::harness {

/// The places where a program looks for the project's files, in this order.
struct ProjectPlaces {
  std::filesystem::path
      around_build;  ///< <project> of <project>/build/<preset>/bin, where tests stand in bin/tests
  std::filesystem::path installed;  ///< <prefix>/share/ndt of <prefix>/bin
  std::filesystem::path named;  ///< value of NDT_SHARE, a folder with the same files; empty if it is not set
};
ProjectPlaces project_places(const std::filesystem::path& program, const char* named);

/// `below`, such as "harness/presets", in the first of the places that has it; throws an InputError that says
/// what was tried where none has.
std::filesystem::path project_folder(std::string_view below, const ProjectPlaces& places);

/// For this program.
std::filesystem::path project_folder(std::string_view below);

/// The folder for what is made on this machine and kept: NDT_CACHE, else ndt-bench below XDG_CACHE_HOME or
/// ~/.cache. Throws InputError if the environment names none.
std::filesystem::path cache_folder();

}  // namespace ndt::harness
