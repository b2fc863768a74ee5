// A folder of its own for each test, and PCD files written into it byte by byte.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/core/error.hpp"
#include "ndt/harness/io/pcd.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {

class PcdFiles : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name = "scan.pcd") const { return folder_.path() / name; }

  std::filesystem::path put(std::string_view bytes) const {
    std::ofstream(path(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path();
  }

  PointCloud read(std::string_view bytes, CloudInfo* info = nullptr) const { return read_pcd(put(bytes), info); }

  /// The message with which the bytes are refused; empty if they are accepted.
  std::string refusal_of(std::string_view bytes) const { return refusal_of_file(put(bytes)); }
  static std::string refusal_of_file(const std::filesystem::path& file) {
    try {
      read_pcd(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
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

/// The bytes of values, one after the other.
template <class... T>
std::string bytes_of(const T&... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

inline bool same_bits(const std::vector<Point>& a, const std::vector<Point>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Point)) == 0);
}

}  // namespace ndt::harness
