// PCD files, read.
#pragma once

#include "base/io_names.hpp"
#include "ndt/io/cloud_file.hpp"
#include "pcd_bytes.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {

class PcdFiles : public ScratchFiles {
 protected:
  PcdFiles() : ScratchFiles("scan.pcd") {}

  PointCloud read(std::string_view bytes, CloudInfo* info = nullptr) const {
    return read_pcd(put(bytes), info);
  }

  /// The message with which the bytes are refused; empty if they are accepted.
  std::string refusal_of(std::string_view bytes) const { return refusal_of_file(put(bytes)); }
  static std::string refusal_of_file(const std::filesystem::path& file) {
    return input_error_of([&] { read_pcd(file); });
  }
};

}  // namespace ndt::harness
