// KITTI scans: records of four floats and nothing else, so that size and width are all that can be wrong.
#include <fmt/format.h>

#include <fstream>
#include <limits>

#include "bytes.hpp"
#include "catalogue.hpp"

namespace ndt::catalogue {
namespace {

using harness::bytes_of;

const std::string kRecord = bytes_of(1.f, 2.f, 3.f, 0.5f);

Entry rest(std::string name, const std::string& bytes, std::size_t at, std::size_t rest) {
  return refused(
      Format::kitti_bin, "bin_" + name, bytes,
      fmt::format(
          "byte {}: {} bytes after the last whole record of 16 (float32 x y z intensity); the file is "
          "cut off or of another kind: export the cloud again, or give --bin-fields if its points have "
          "another "
          "number of values",
          at, rest));
}

/// A room around the sensor in records of x y z and what else there is.
Entry of_width(std::size_t width) {
  std::string bytes;
  for (int k = 0; k < 400; ++k) {
    bytes += bytes_of(static_cast<float>(k * 37 % 400) / 20 - 7, static_cast<float>(k * 91 % 300) / 20 - 4,
                      static_cast<float>(k * 53 % 60) / 20 - 1);
    for (std::size_t extra = 3; extra < width; ++extra) bytes += bytes_of(static_cast<float>(k % 7) / 7);
  }
  return refused(Format::kitti_bin, fmt::format("bin_of_{}_floats", width), bytes,
                 fmt::format("looks like records of {0} float32; they would be read as 4 (x y z intensity); "
                             "give --bin-fields {0} (in a dataset.toml: bin_fields = {0}), or write it as "
                             ".pcd or .ply",
                             width));
}

}  // namespace

Entries kitti_bin() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto too_many = [](const std::filesystem::path& file) {
    std::ofstream{file};
    std::filesystem::resize_file(file, ((std::uintmax_t{1} << 27) + 1) * 16);  // sparse
  };
  return {
      accepted(Format::kitti_bin, "bin_empty", "", {}),
      accepted(Format::kitti_bin, "bin_two_points", kRecord + kRecord, {.points = 2}),
      accepted(Format::kitti_bin, "bin_nan_and_inf",
               bytes_of(nan, 2.f, 3.f, 0.f, 1.f, -inf, 3.f, 0.f, 1.f, 2.f, 3.f, nan),
               {.points = 3, .non_finite = 2}),
      rest("one_byte", "x", 0, 1),
      rest("cut_by_one_byte", (kRecord + kRecord).substr(0, 31), 16, 15),
      rest("one_byte_more", kRecord + "x", 16, 1),
      rest("three_floats_a_record", bytes_of(1.f, 2.f, 3.f, 4.f, 5.f, 6.f), 16, 8),
      of_width(3),
      of_width(5),
      of_width(6),
      {"bin_more_points_than_the_limit", Format::kitti_bin, too_many,
       Refused{"holds 134217729 points, the limit is 134217728; split the cloud into smaller files"}},
  };
}

}  // namespace ndt::catalogue
