// What this program was built from and with, as text for people and records.
#pragma once

#include <string_view>

namespace ndt::harness {

struct BuildInfo {
  std::string_view version;        ///< of the project
  std::string_view commit;         ///< 40 digits, "-dirty" added if tracked files differed, or "unknown"
  std::string_view compiler;       ///< name and version
  std::string_view flags;          ///< optimisation flags of C++ code
  std::string_view build_type;     ///< CMake's
  std::string_view sanitizers;     ///< value of -fsanitize, empty without
  std::string_view cuda_toolkit;   ///< version, empty if CUDA was left out
  std::string_view cuda_left_out;  ///< why it was left out
  std::string_view pcl_version;    ///< empty if PCL was left out
  std::string_view pcl_left_out;   ///< why it was left out
  bool lzf;                        ///< compressed PCD files can be read and written
};

const BuildInfo& build_info();

}  // namespace ndt::harness
