// PLY headers line by line.
#pragma once

#include <string>
#include <string_view>

namespace ndt::catalogue {

/// Lines of a header; an entry changes the ones it is about. An empty one is left out.
struct PlyText {
  std::string format = "format binary_little_endian 1.0", vertex = "element vertex 2", x = "property float x",
              y = "property float y", z = "property float z";

  std::string text(std::string_view newline = "\n") const {
    std::string all = "ply" + std::string(newline);
    for (const std::string* line : {&format, &vertex, &x, &y, &z})
      if (!line->empty()) all.append(*line).append(newline);
    return all.append("end_header").append(newline);
  }
};

}  // namespace ndt::catalogue
