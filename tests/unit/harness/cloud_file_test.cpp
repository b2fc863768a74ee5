#include "ndt/io/cloud_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/io_names.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CloudFileTest : public ScratchFiles {
 protected:
  CloudFileTest() : ScratchFiles("cloud") {}
  std::string start_of(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {}).substr(0, 16);
  }
};

TEST_F(CloudFileTest, TheExtensionChoosesTheFormatInAnyCase) {
  for (const char* name : {"a.pcd", "a.ply", "a.bin", "b.PCD", "b.Ply", "b.BIN"}) {
    write_cloud(path(name), awkward_cloud());
    CloudInfo info{99};
    EXPECT_TRUE(is_cloud(path(name))) << name;
    EXPECT_TRUE(same_bits(read_cloud(path(name), &info).points, awkward_cloud().points)) << name;
    EXPECT_EQ(info.trailing_bytes, 0u) << name;
  }
  EXPECT_THAT(start_of("b.PCD"), StartsWith("# .PCD"));
  EXPECT_THAT(start_of("b.Ply"), StartsWith("ply\n"));
  EXPECT_EQ(start_of("b.BIN"), bytes_of(0.f, -0.f, 1.f, 0.f));
}

/// A way to write clouds.
struct Encoding {
  std::string file;  ///< whose extension is the format's
  std::function<void(const std::filesystem::path&, const PointCloud&)> write;
  bool text = false;
};

std::vector<Encoding> encodings() {
  std::vector<Encoding> all{{"kitti.bin", write_kitti_bin}};
  for (const PcdEncoding e : {PcdEncoding::ascii, PcdEncoding::binary, PcdEncoding::binary_compressed})
    if (NDT_HAVE_LZF || e != PcdEncoding::binary_compressed)
      all.push_back({fmt::format("{}.pcd", static_cast<int>(e)),
                     [e](const auto& file, const auto& cloud) { write_pcd(file, cloud, e); },
                     e == PcdEncoding::ascii});
  for (const PlyEncoding e :
       {PlyEncoding::ascii, PlyEncoding::binary_little_endian, PlyEncoding::binary_big_endian})
    all.push_back({fmt::format("{}.ply", static_cast<int>(e)),
                   [e](const auto& file, const auto& cloud) { write_ply(file, cloud, e); },
                   e == PlyEncoding::ascii});
  return all;
}

TEST_F(CloudFileTest, FloatsComeBackBitForBitInEveryEncoding) {
  for (const Encoding& encoding : encodings()) {
    encoding.write(path(encoding.file), awkward_cloud());
    const PointCloud got = read_cloud(path(encoding.file));
    EXPECT_TRUE(same_bits(got.points, awkward_cloud().points)) << encoding.file;
    EXPECT_EQ(got.origin.x, 0) << encoding.file;
  }
}

TEST_F(CloudFileTest, AnyBitsIncludingSignallingNansComeBackFromBinaryAndNoPointFromAll) {
  for (const Encoding& encoding : encodings())
    for (const std::size_t n :
         {0u, 1u, 2u, 7u, 100'000u}) {  // noise does not compress; the last are two blocks
      if (encoding.text && n > 0) continue;
      encoding.write(path(encoding.file), noise(n));
      CloudInfo info{99};
      EXPECT_TRUE(same_bits(read_cloud(path(encoding.file), &info).points, noise(n).points))
          << encoding.file << ", " << n;
      EXPECT_EQ(info.trailing_bytes, 0u) << encoding.file << ", " << n;
    }
}

TEST_F(CloudFileTest, AFarCloudKeepsItsAbsoluteCoordinatesInEveryEncodingThatCan) {
  const PointCloud far{{5'000'123.25, -400'000.5, 100},
                       {{1.5f, -2.25f, 0.125f}, {30.f, 40.f, 5.f}, {0.001f, 0, 0}}};
  for (const Encoding& encoding : encodings()) {
    if (encoding.file == "kitti.bin") continue;  // refuses it
    encoding.write(path(encoding.file), far);
    const PointCloud got = read_cloud(path(encoding.file));
    EXPECT_EQ(got.origin.x, 5'000'000) << encoding.file;
    EXPECT_EQ(got.origin.y, -400'000 - 1000) << encoding.file;
    EXPECT_EQ(got.origin.z, 0) << encoding.file;
    ASSERT_EQ(got.size(), far.size()) << encoding.file;
    for (std::size_t i = 0; i < far.size(); ++i) {
      const Vec3<double> off =
          got.origin + cast<double>(got.points[i]) - far.origin - cast<double>(far.points[i]);
      constexpr double kTolerance = 3.1e-5;  // half the float spacing below 1024 m
      EXPECT_LE(std::max({std::abs(off.x), std::abs(off.y), std::abs(off.z)}), kTolerance) << encoding.file;
    }
  }
}

TEST_F(CloudFileTest, WhatCannotBeWrittenIsReported) {
  for (const Encoding& encoding : encodings()) {
    const auto refusal = [&](const std::filesystem::path& file) {
      return input_error_of([&] { encoding.write(file, noise(10'000)); });
    };
    EXPECT_THAT(refusal(path("no/such/" + encoding.file)), HasSubstr("cannot be written (No such file"));
    EXPECT_THAT(refusal(path().parent_path()), HasSubstr("cannot be written (Is a directory"));
    if (!std::filesystem::exists("/dev/full")) continue;
    EXPECT_THAT(refusal("/dev/full"), HasSubstr("cannot be written (No space left"));
  }
}

TEST_F(CloudFileTest, UnknownExtensionsAreAnsweredWithAllThatAreKnown) {
  for (const char* name : {"a.txt", "a", "a.pcd.gz", ".ply", "a.pcd\n"}) {
    const auto answer =
        AllOf(HasSubstr("unknown point cloud format '"), HasSubstr("supported: .pcd (ascii, binary, "),
              HasSubstr(".ply (ascii, binary)"), HasSubstr(".bin (KITTI"));
    EXPECT_FALSE(is_cloud(path(name))) << name;
    EXPECT_THAT(input_error_of([&] { read_cloud(path(name)); }), answer) << name;
    EXPECT_THAT(input_error_of([&] { write_cloud(path(name), {}); }), answer) << name;
  }
}

TEST_F(CloudFileTest, MapsOfSurveyorsAreAnsweredWithWhatMakesAPcdOfThem) {
  for (const char* name : {"site.laz", "site.LAS", "site.e57"})
    EXPECT_THAT(input_error_of([&] { read_cloud(path(name)); }),
                HasSubstr("./run convert map FILE --out FILE.pcd makes a PCD of a map"))
        << name;
}

TEST_F(CloudFileTest, AFileOfAnotherFormatThanItsExtensionIsRefused) {
  const auto refusal_of = [this](const char* from, const char* to) {
    write_cloud(path(from), noise(3));
    std::filesystem::rename(path(from), path(to));
    return input_error_of([&] { read_cloud(path(to)); });
  };
  EXPECT_THAT(refusal_of("c.pcd", "d.ply"), HasSubstr("expected a line 'ply'"));
  EXPECT_THAT(refusal_of("c.ply", "d.pcd"), HasSubstr("unknown PCD keyword 'ply'"));
  EXPECT_THAT(refusal_of("c.pcd", "d.bin"), HasSubstr("bytes after the last whole record of 16"));
}

TEST_F(CloudFileTest, TheListOfExtensionsNamesEveryFormat) {
  EXPECT_EQ(cloud_extensions(), ".pcd, .ply, .bin, .xyz, .npy, .csv");
}

#if !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)  // they reserve more address space than the limit
TEST_F(CloudFileTest, ACloudTooLargeForTheMemoryIsSaidByName) {
  write_cloud(path("large.pcd"), {{}, {{1, 2, 3}}});
  std::ofstream(path("large.pcd"), std::ios::binary)
      << "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 40000000\nHEIGHT 1\nPOINTS 40000000\n"
         "DATA binary\n";
  std::error_code error;
  std::filesystem::resize_file(path("large.pcd"), 480'001'000, error);  // sparse
  if (error) GTEST_SKIP() << "no sparse files here: " << error.message();
  const auto in_little_memory = [&] {
    rlimit limit{256UL << 20, 256UL << 20};
    setrlimit(RLIMIT_AS, &limit);
    const std::string refusal = input_error_of([&] { read_cloud(path("large.pcd")); });
    std::fprintf(stderr, "%s\n", refusal.c_str());
    std::_Exit(refusal.empty() ? 0 : 7);
  };
  EXPECT_EXIT(in_little_memory(), testing::ExitedWithCode(7),
              "large.pcd: not enough memory for the points of its 480001000 bytes; thin the cloud, split it");
}
#endif

}  // namespace
}  // namespace ndt::harness
