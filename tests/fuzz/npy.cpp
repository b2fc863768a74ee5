// Any bytes as a NumPy array. Points that are accepted come back bit for bit from an array that is written of
// them.
#include <fmt/format.h>

#include <cstring>

#include "base/io_names.hpp"
#include "fuzzing.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/stored_points.hpp"

namespace {

using namespace ndt;

template <class T>
std::string array_of(const std::vector<Vec3<T>>& points) {
  static_assert(sizeof(Vec3<T>) == 3 * sizeof(T));
  const std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, 3), }}\n",
                                         sizeof(T), points.size());
  std::string array("\x93NUMPY\x01\0", 8);
  array += static_cast<char>(header.size());
  array += '\0';
  array += header;
  array.append(reinterpret_cast<const char*>(points.data()), points.size() * sizeof(Vec3<T>));
  return array;
}

template <class T>
bool same_bits(const std::vector<Vec3<T>>& a, const std::vector<Vec3<T>>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  harness::CloudInfo info;
  const auto stored =
      fuzz::read_file_or_refuse([&] { return harness::read_stored_npy(file.with(data, size), &info); });
  if (!stored) return 0;
  std::visit(
      [&]<class T>(const std::vector<Vec3<T>>& points) {
        fuzz::require(points.size() * sizeof(Vec3<T>) + info.trailing_bytes <= size,
                      "more points and bytes left than there were");
        const std::string array = array_of(points);
        const auto again = harness::read_stored_npy(
            file.with(reinterpret_cast<const std::uint8_t*>(array.data()), array.size()), &info);
        fuzz::require(same_bits(std::get<std::vector<Vec3<T>>>(again), points),
                      "an array does not come back");
        fuzz::require(info.trailing_bytes == 0, "bytes are left behind a whole array");
      },
      *stored);
  fuzz::read_file_or_refuse([&] { return harness::cloud_of_stored(*stored, file.path()); });
  return 0;
}
