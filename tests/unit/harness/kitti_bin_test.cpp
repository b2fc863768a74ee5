#include <fmt/format.h>

#include "base/io_names.hpp"
#include "ndt/io/cloud_file.hpp"
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

TEST_F(KittiBinTest, IntensityIsWrittenAsZero) {
  write_kitti_bin(path(), {{}, {{1, 2, 3}}});
  EXPECT_EQ(written(), bytes_of(1.f, 2.f, 3.f, 0.f));
}

/// A room of 12 x 8 x 3 m around a sensor, `extra` values behind x y z of each point.
std::string room(std::size_t points, const std::vector<float>& extra, float shift = 0) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(0, 1);
  std::string bytes;
  for (std::size_t k = 0; k < points; ++k) {
    bytes +=
        bytes_of(12 * unit(random) - 5 + shift, 8 * unit(random) - 3 + shift, 3 * unit(random) - 1 + shift);
    for (const float most : extra) bytes += bytes_of(most * unit(random));
  }
  return bytes;
}

TEST_F(KittiBinTest, RecordsOfAnotherWidthAreNamedAndNotReadScrambled) {
  const std::string rest = " float32; they would be read as 4 (x y z intensity); give --bin-fields ";
  for (const std::size_t points : {400u, 4000u, 400000u}) {
    EXPECT_THAT(refusal_of(room(points, {})), HasSubstr("looks like records of 3" + rest)) << points;
    for (const float intensity : {0.f, 1.f, 255.f})
      for (const float ring : {0.1f, 31.f, 63.f})
        EXPECT_THAT(refusal_of(room(points, {intensity, ring})), HasSubstr("looks like records of 5" + rest))
            << points << " " << intensity << " " << ring;
    EXPECT_THAT(refusal_of(room(points, {1, 1, 1})), HasSubstr("looks like records of 6" + rest)) << points;
  }
}

TEST_F(KittiBinTest, RecordsAreReadAsWideAsAskedFor) {
  const std::string room_of_five = room(4000, {255, 63});
  put(room_of_five);
  const PointCloud got = read_kitti_bin(path(), nullptr, 5);
  ASSERT_EQ(got.size(), 4000u);
  put(room(4000, {}));
  EXPECT_EQ(read_kitti_bin(path(), nullptr, 3).size(), 4000u);
  put(room(4000, {1, 1, 1}));
  EXPECT_EQ(read_kitti_bin(path(), nullptr, 6).size(), 4000u);
  put(bytes_of(1.f, 2.f, 3.f, 9.f, 9.f, 4.f, 5.f, 6.f, 9.f, 9.f));
  EXPECT_TRUE(same_bits(read_kitti_bin(path(), nullptr, 5).points, {{1, 2, 3}, {4, 5, 6}}));
  EXPECT_TRUE(same_bits(read_cloud(path(), nullptr, 5).points, {{1, 2, 3}, {4, 5, 6}}));
}

TEST_F(KittiBinTest, AskingForAWrongWidthIsRefused) {
  const auto refused = [&](std::string_view bytes, int fields) {
    return input_error_of([&] { read_kitti_bin(put(bytes), nullptr, fields); });
  };
  const auto looks_like = [](int width) {
    return HasSubstr(fmt::format("looks like records of {} ", width));
  };
  for (const int asked : {3, 5, 6})  // 60 values a point are whole records of each
    EXPECT_THAT(refused(room(6000, {1}), asked), looks_like(4)) << asked;
  for (const int asked : {3, 6}) EXPECT_THAT(refused(room(6000, {255, 63}), asked), looks_like(5)) << asked;
  for (const int asked : {4, 5}) EXPECT_THAT(refused(room(6000, {}), asked), looks_like(3)) << asked;
  EXPECT_THAT(refused(std::string(19, 'x'), 5),
              HasSubstr("byte 0: 19 bytes after the last whole record of 20 (5 float32, x y z first)"));
  for (const int fields : {-1, 0, 2, 7})
    EXPECT_THROW(read_kitti_bin(put(""), nullptr, fields), std::invalid_argument);
}

TEST_F(KittiBinTest, AFourthValueThatIsACoordinateIsNoticedWhereColumnsDoNotDiffer) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> around(-10, 10);
  std::string bytes;
  for (int k = 0; k < 12000; ++k) bytes += bytes_of(around(random));
  EXPECT_THAT(refusal_of(bytes), HasSubstr("varies like the other three, unlike an intensity; it looks like "
                                           "records of 3 or 5 float32"));
}

TEST_F(KittiBinTest, RecordsOfFourAreReadWhateverTheIntensity) {
  for (const std::size_t points : {1u, 2u, 3u, 5u, 15u, 60u, 400u, 40000u})
    for (const float shift : {0.f, 500.f})
      for (const float intensity : {0.f, 0.5f, 1.f, 12.f, 255.f, 65535.f, -1.f})
        EXPECT_EQ(refusal_of(room(points, {intensity}, shift)), "")
            << points << " " << shift << " " << intensity;
  for (const float value : {0.f, 1.f, -7.f}) {  // equal points, and a plane
    std::string equal, plane;
    for (int k = 0; k < 3000; ++k) {
      equal += bytes_of(value, value, value, value);
      plane += bytes_of(static_cast<float>(k % 50), static_cast<float>(k / 50), value, 0.f);
    }
    EXPECT_EQ(refusal_of(equal), "");
    EXPECT_EQ(refusal_of(plane), "");
  }
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
