#include "io/cloud_file.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

class KittiBinTest : public ScratchFiles {
 protected:
  KittiBinTest() : ScratchFiles("000000.bin") {}
  std::string refusal_of(std::string_view bytes) const {
    return input_error_of([&] { read_kitti_bin(put(bytes)); });
  }
};

TEST_F(KittiBinTest, EveryFourthFloatIsSkipped) {
  CloudInfo info{99};
  put(bytes_of(1.f, 2.f, 3.f, 0.25f, 4.f, 5.f, 6.f, 0.5f));
  const PointCloud got = read_kitti_bin(path(), &info);
  EXPECT_TRUE(same_bits(got.points, {{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(got.origin.x, 0);
  EXPECT_EQ(info.trailing_bytes, 0u);
}

TEST_F(KittiBinTest, AnyBitsComeBack) {
  for (const std::size_t n : {0u, 1u, 2u, 100'000u}) {
    write_kitti_bin(path(), noise(n));
    EXPECT_EQ(std::filesystem::file_size(path()), 16 * n);
    EXPECT_TRUE(same_bits(read_kitti_bin(path()).points, noise(n).points)) << n;
  }
  write_kitti_bin(path(), awkward_cloud());
  EXPECT_TRUE(same_bits(read_kitti_bin(path()).points, awkward_cloud().points));
}

TEST_F(KittiBinTest, IntensityIsWrittenAsZero) {
  write_kitti_bin(path(), {{}, {{1, 2, 3}}});
  EXPECT_EQ(written(), bytes_of(1.f, 2.f, 3.f, 0.f));
}

TEST_F(KittiBinTest, SizesThatAreNoMultipleOf16AreRefused) {
  for (std::size_t n = 0; n <= 48; ++n) {
    if (n % 16 == 0)
      EXPECT_EQ(refusal_of(std::string(n, 'x')), "");
    else
      EXPECT_THAT(refusal_of(std::string(n, 'x')),
                  HasSubstr("byte " + std::to_string(n / 16 * 16) + ": " + std::to_string(n % 16) +
                            " bytes after the last whole record of 16"));
  }
}

TEST_F(KittiBinTest, MorePointsThanTheLimitAreRefusedAtOnce) {
  put("x");
  std::error_code error;
  std::filesystem::resize_file(path(), (std::uintmax_t{16} << 27) + 16, error);  // sparse
  if (error) GTEST_SKIP() << "no sparse files here: " << error.message();
  expect_cheap_refusal("2^27 + 1 points", [&] { return input_error_of([&] { read_kitti_bin(path()); }); });
  EXPECT_THAT(input_error_of([&] { read_kitti_bin(path()); }),
              HasSubstr("holds 134217729 points, the limit is 134217728"));
}

TEST_F(KittiBinTest, WhatTheFormatCannotCarryIsNotWritten) {
  EXPECT_THAT(
      input_error_of([&] {
        write_kitti_bin(path(), {{4e6, 0, 0}, {{1, 2, 3}}});
      }),
      HasSubstr("offsets from (4000000, 0, 0) m, which float32 x y z cannot carry; write .pcd or .ply"));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_THAT(input_error_of([&] { write_kitti_bin(path("no/such/folder"), noise(1)); }),
              HasSubstr("cannot be written (No such file"));
}

}  // namespace
}  // namespace ndt::harness
