// Files that are computed: random bytes, records of another width, and more than can be written.
#include <fmt/format.h>

#include <fstream>
#include <random>

#include "catalogue.hpp"
#include "pcd_bytes.hpp"

namespace ndt::catalogue {
namespace {

using harness::bytes_of;

std::string junk(bool with_newlines) {
  std::mt19937 random(7);
  std::string bytes(1 << 20, '\0');
  for (char& c : bytes) {
    c = static_cast<char>(random());
    if (c == '\n' && !with_newlines) c = ' ';
  }
  return bytes.replace(0, 2, with_newlines ? "\x01\n" : "\x01x");
}

std::string many_fields() {
  std::string header = "FIELDS x y z";
  for (int i = 0; i < 100'000; ++i) header += fmt::format(" f{}", i);
  return header;
}

/// A PLY file of as many points as one may have, and as many properties as fit into a header.
std::string lie_with_many_properties() {
  std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 134217728\n"
      "property float x\nproperty float y\nproperty float z\n";
  for (int i = 0; i < 3000; ++i) header += fmt::format("property char {}\n", i);
  return header + "end_header\n" + std::string(200, '\xFF');
}

Entry in_header(Format format, std::string name, const std::string& bytes, std::string_view what) {
  return refused(format, std::move(name), bytes, fmt::format("header line {}{}", what, kFixHeader));
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

Entries made() {
  const auto too_many = [](const std::filesystem::path& file) {
    std::ofstream{file};
    std::filesystem::resize_file(file, ((std::uintmax_t{1} << 27) + 1) * 16);  // sparse
  };
  return {
      in_header(Format::pcd, "pcd_a_hundred_thousand_fields",
                harness::Header{.fields = many_fields()}.text() + harness::kTwoPoints,
                "2: no DATA line within the limit of 65536 bytes"),
      in_header(Format::pcd, "pcd_junk_with_newlines", junk(true), "1: unknown PCD keyword '\\x01'"),
      in_header(Format::pcd, "pcd_junk_without_newlines", junk(false),
                "1: no DATA line within the limit of 65536 bytes"),
      in_header(Format::ply, "ply_junk_with_newlines", junk(true), "1: expected a line 'ply', found '\\x01'"),
      in_header(Format::ply, "ply_junk_behind_its_first_line", "ply\n" + junk(true),
                "2: unknown PLY keyword '\\x01'"),
      in_header(Format::ply, "ply_lie_with_many_properties", lie_with_many_properties(),
                "3: 134217728 of element 'vertex' declared, of 3012 bytes or more each, but 200 bytes are "
                "left for them"),
      of_width(3),
      of_width(5),
      of_width(6),
      {"bin_more_points_than_the_limit", Format::kitti_bin, too_many,
       Refused{"holds 134217729 points, the limit is 134217728; split the cloud into smaller files"}},
  };
}

}  // namespace ndt::catalogue
