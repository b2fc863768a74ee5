// PCD headers line by line.
#pragma once

#include <string>
#include <string_view>

#include "bytes.hpp"

namespace ndt::harness {

/// Lines of a header; a test changes the ones it is about. An empty one is left out.
struct Header {
  std::string version = "VERSION 0.7", fields = "FIELDS x y z", size = "SIZE 4 4 4", type = "TYPE F F F",
              count = "COUNT 1 1 1", width = "WIDTH 2", height = "HEIGHT 1",
              viewpoint = "VIEWPOINT 0 0 0 1 0 0 0", points = "POINTS 2", data = "DATA binary";

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
