// Reads clouds through the library's public header, one file name a line, and writes the outcome of each. It
// is the number of points, the three doubles of the origin, the float32 points and four counts of no-returns.
// A refusal is -1, the size of the message and the message.
#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "ndt/align/no_returns.hpp"
#include "ndt/io/clouds.hpp"

namespace {

template <class T>
void put(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  std::cout.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void put_number(std::int64_t number) { put(std::span<const std::int64_t>(&number, 1)); }

void put_outcome(const std::string& file) {
  try {
    const ndt::PointCloud cloud = ndt::io::read_cloud(file);
    const ndt::NoReturns found = ndt::counted(ndt::find_no_returns(cloud));
    put_number(static_cast<std::int64_t>(cloud.size()));
    put(std::span<const double>(std::array{cloud.origin.x, cloud.origin.y, cloud.origin.z}));
    put(std::span<const ndt::Point>(cloud.points));
    put(std::span<const std::int64_t>(
        std::array{found.zero, found.sentinel, found.identical, found.max_range}));
  } catch (const std::exception& error) {
    const std::string_view message = error.what();
    put_number(-1);
    put_number(static_cast<std::int64_t>(message.size()));
    put(std::span<const char>(message));
  }
}

}  // namespace

int main() {
  for (std::string file; std::getline(std::cin, file);) put_outcome(file);
}
