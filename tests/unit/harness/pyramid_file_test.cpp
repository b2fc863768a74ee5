// A place pyramid that was kept is the one that was built, or it is refused.
#include "io/pyramid_file.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/word_hash.hpp"
#include "data/kept_pyramid.hpp"
#include "ndt/core/error.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using initial_pose::PlacePyramid;
using testing::HasSubstr;

/// A hilly square, `half_m` to each side.
PointCloud hills(float half_m) {
  PointCloud cloud;
  cloud.origin = {1000, 0, 0};
  for (float x = -half_m; x < half_m; x += 2)
    for (float y = -half_m; y < half_m; y += 2) cloud.points.push_back({x, y, x * x / 64 + y / 8});
  return cloud;
}

const PointCloud kMap = hills(40);
constexpr Vec3<double> kUp{0, 0.1, 1};

void expect_same(const PlacePyramid& a, const PlacePyramid& b) {
  EXPECT_EQ(a.cell_m(), b.cell_m());
  EXPECT_EQ(std::memcmp(&a.corner(), &b.corner(), sizeof(Vec3<double>)), 0);
  ASSERT_EQ(a.levels(), b.levels());
  for (const auto grid : {&PlacePyramid::values, &PlacePyramid::footing})
    for (int k = 0; k <= a.levels(); ++k) {
      const auto &one = (a.*grid)().level(k), &other = (b.*grid)().level(k);
      EXPECT_EQ(std::memcmp(one.size, other.size, sizeof(one.size)), 0);
      EXPECT_EQ(one.offset, other.offset);
      EXPECT_EQ(one.values, other.values) << k;
    }
  const Pose pose{1, 2, 3, 0.1, 0.2, 0.3}, in_a = a.in_map(pose), in_b = b.in_map(pose);
  EXPECT_EQ(std::memcmp(&in_a, &in_b, sizeof(Pose)), 0);
}

using Bytes = std::vector<char>;

Bytes bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const Bytes& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class PyramidFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "a.pyramid";
  PlacePyramid pyramid_{kMap, 2, kUp};
  PyramidSource source_ = pyramid_source(kMap, 2, kUp);

  std::string refusal(const PyramidSource& source) const {
    try {
      read_pyramid(file_, source);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(PyramidFile, GivesBackWhatWasBuilt) {
  write_pyramid(file_, pyramid_, source_);
  expect_same(read_pyramid(file_, source_), pyramid_);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "nothing else is left";
}

TEST_F(PyramidFile, IsRefusedWithAnyByteChanged) {
  write_pyramid(file_, pyramid_, source_);
  const Bytes good = bytes_of(file_);
  for (std::size_t k = 0; k < good.size(); k += k < 200 ? 1 : 997) {
    Bytes bad = good;
    bad[k] = static_cast<char>(bad[k] ^ 0x80);
    write(file_, bad);
    ASSERT_NE(refusal(source_), "") << k;
  }
}

TEST_F(PyramidFile, IsRefusedCutOffOrWithMoreBehindIt) {
  write_pyramid(file_, pyramid_, source_);
  Bytes bytes = bytes_of(file_);
  bytes.push_back(0);
  write(file_, bytes);
  EXPECT_THAT(refusal(source_), HasSubstr("which do not fit its header"));
  bytes.resize(bytes.size() - 2);
  write(file_, bytes);
  EXPECT_THAT(refusal(source_), HasSubstr("which do not fit its header"));
  bytes.resize(100);
  write(file_, bytes);
  EXPECT_THAT(refusal(source_), HasSubstr("has 100 bytes, too few; remove it if"));
  write(file_, {});
  EXPECT_NE(refusal(source_), "");
}

TEST_F(PyramidFile, IsRefusedOfAnotherVersionOrKind) {
  write_pyramid(file_, pyramid_, source_);
  Bytes bytes = bytes_of(file_);
  bytes[8] = 0;
  write(file_, bytes);
  EXPECT_THAT(refusal(source_), HasSubstr("has version 0, not 1"));
  bytes[0] = 'P';
  write(file_, bytes);
  EXPECT_THAT(refusal(source_), HasSubstr("is no place pyramid"));
}

TEST_F(PyramidFile, IsOfItsMapAndItsCellsOnly) {
  write_pyramid(file_, pyramid_, source_);
  PointCloud moved = kMap, shifted = kMap;
  moved.points.back().z += 1;
  shifted.origin.x += 1;
  for (const PyramidSource& other : {pyramid_source(moved, 2, kUp), pyramid_source(shifted, 2, kUp),
                                     pyramid_source(kMap, 1, kUp), pyramid_source(kMap, 2, {0, 0, 1})}) {
    EXPECT_THAT(refusal(other), HasSubstr("was made for another map or other cells"));
    EXPECT_NE(pyramid_file_name(other), pyramid_file_name(source_));
  }
}

/// If the cells of a map become others, so must the version.
TEST_F(PyramidFile, HasTheVersionOfItsCells) {
  const PlacePyramid level(kMap, 2);
  WordHash hash;
  for (const auto grid : {&PlacePyramid::values, &PlacePyramid::footing})
    for (int k = 0; k <= level.levels(); ++k)
      hash.add(std::as_bytes(std::span((level.*grid)().level(k).values)));
  write_pyramid(file_, level, source_);
  EXPECT_EQ(bytes_of(file_)[8], 1);
  EXPECT_EQ(hash.value(), 0xd55d5630b1df15a9ULL) << "increase kVersion, and write the new number here";
}

TEST(WordHash, DoesNotDependOnPortions) {
  Bytes bytes(1000);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<char>(k * k);
  WordHash whole, parts;
  const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
  whole.add(all);
  for (std::size_t at = 0, size = 0; at < all.size(); at += size, size = (size + 13) % 70)
    parts.add(all.subspan(at, std::min(size, all.size() - at)));
  EXPECT_EQ(parts.value(), whole.value());
  parts.add(all.first(1));
  EXPECT_NE(parts.value(), whole.value());
}

/// Pyramids are kept in a folder of the test.
class Kept : public testing::Test {
 protected:
  TemporaryFolder folder_;
  PointCloud map_ = kMap;

  Kept() { ::setenv("NDT_CACHE", folder_.path().c_str(), 1); }
  ~Kept() override { ::unsetenv("NDT_CACHE"); }

  KeptPyramid asked() const { return kept_pyramid(map_, 1, kUp); }
  fs::path file() const {
    return folder_.path() / "pyramids" / pyramid_file_name(pyramid_source(map_, 1, kUp));
  }
  /// Returns the words on stderr while the pyramid is asked for.
  std::string said(bool was_kept) const {
    testing::internal::CaptureStderr();
    const KeptPyramid kept = asked();
    EXPECT_EQ(kept.was_kept, was_kept);
    expect_same(kept.pyramid, PlacePyramid(map_, 1, kUp));
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Kept, IsBuiltOnceAndReadFromThen) {
  EXPECT_EQ(said(false), "");
  EXPECT_EQ(said(true), "");
  map_.points.front().z += 5;
  EXPECT_EQ(said(false), "") << "another map";
}

TEST_F(Kept, IsBuiltAnewWhereTheFileIsNoGood) {
  asked();
  Bytes bytes = bytes_of(file());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write(file(), bytes);
  const std::string line = said(false);
  EXPECT_THAT(line, HasSubstr("ndt-bench: the place pyramid is built anew: "));
  EXPECT_THAT(line, HasSubstr("is damaged: its checksum differs"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  EXPECT_EQ(said(true), "") << "and replaced";
}

TEST_F(Kept, IsNotKeptWhereItIsSmall) {
  map_ = hills(20);
  asked();
  EXPECT_FALSE(fs::exists(folder_.path() / "pyramids"));
}

TEST_F(Kept, GoesOnWhereNothingCanBeWritten) {
  ::setenv("NDT_CACHE", "/dev/null/cache", 1);
  EXPECT_THAT(said(false), HasSubstr("the place pyramid is not kept: /dev/null/cache/pyramids: cannot be"));
}

}  // namespace
}  // namespace ndt::harness
