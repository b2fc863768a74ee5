// PCD files byte by byte.
#pragma once

#include "ndt/harness/io/pcd.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {

class PcdFiles : public ScratchFiles {
 protected:
  PcdFiles() : ScratchFiles("scan.pcd") {}

  PointCloud read(std::string_view bytes, CloudInfo* info = nullptr) const { return read_pcd(put(bytes), info); }

  /// The message with which the bytes are refused; empty if they are accepted.
  std::string refusal_of(std::string_view bytes) const { return refusal_of_file(put(bytes)); }
  static std::string refusal_of_file(const std::filesystem::path& file) {
    return input_error_of([&] { read_pcd(file); });
  }
};

/// Lines of a header; a test changes the ones it is about. An empty one is left out.
struct Header {
  std::string version = "VERSION 0.7", fields = "FIELDS x y z", size = "SIZE 4 4 4", type = "TYPE F F F",
              count = "COUNT 1 1 1", width = "WIDTH 2", height = "HEIGHT 1", viewpoint = "VIEWPOINT 0 0 0 1 0 0 0",
              points = "POINTS 2", data = "DATA binary";

  std::string text(std::string_view newline = "\n") const {
    std::string all;
    for (const std::string* line :
         {&version, &fields, &size, &type, &count, &width, &height, &viewpoint, &points, &data})
      if (!line->empty()) all.append(*line).append(newline);
    return all;
  }
  Header with_points(const std::string& n) const {
    Header header = *this;
    header.width = "WIDTH " + n;
    header.points = "POINTS " + n;
    return header;
  }
  Header with_data(const std::string& encoding) const {
    Header header = *this;
    header.data = "DATA " + encoding;
    return header;
  }
};

}  // namespace ndt::harness
