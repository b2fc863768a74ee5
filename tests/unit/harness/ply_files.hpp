// PLY files byte by byte.
#pragma once

#include "base/io_names.hpp"
#include "ndt/io/cloud_file.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {

class PlyFiles : public ScratchFiles {
 protected:
  PlyFiles() : ScratchFiles("scan.ply") {}

  PointCloud read(std::string_view bytes, CloudInfo* info = nullptr) const {
    return read_ply(put(bytes), info);
  }

  /// The message with which the bytes are refused; empty if they are accepted.
  std::string refusal_of(std::string_view bytes) const {
    return input_error_of([&] { read_ply(put(bytes)); });
  }
};

inline const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";

/// A header around what a test is about; the format is ascii unless it says otherwise.
inline std::string ply_header(const std::string& elements, const std::string& format = "ascii") {
  return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n";
}
/// The line "element vertex" is line 3.
inline std::string vertices(const std::string& count, const std::string& properties = kXyz) {
  return "element vertex " + count + "\n" + properties;
}

inline constexpr const char* kLittle = "binary_little_endian";
inline constexpr const char* kBig = "binary_big_endian";

}  // namespace ndt::harness
