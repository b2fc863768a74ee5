#include "io/cloud_file.hpp"

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
    EXPECT_TRUE(same_bits(read_cloud(path(name), &info).points, awkward_cloud().points)) << name;
    EXPECT_EQ(info.trailing_bytes, 0u) << name;
  }
  EXPECT_THAT(start_of("b.PCD"), StartsWith("# .PCD"));
  EXPECT_THAT(start_of("b.Ply"), StartsWith("ply\n"));
  EXPECT_EQ(start_of("b.BIN"), bytes_of(0.f, -0.f, 1.f, 0.f));
}

TEST_F(CloudFileTest, UnknownExtensionsAreAnsweredWithAllThatAreKnown) {
  for (const char* name : {"a.xyz", "a", "a.pcd.gz", ".ply", "a.pcd\n"}) {
    const auto answer =
        AllOf(HasSubstr("unknown point cloud format '"), HasSubstr("supported: .pcd (ascii, binary, "),
              HasSubstr(".ply (ascii, binary)"), HasSubstr(".bin (KITTI"));
    EXPECT_THAT(input_error_of([&] { read_cloud(path(name)); }), answer) << name;
    EXPECT_THAT(input_error_of([&] { write_cloud(path(name), {}); }), answer) << name;
  }
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
  EXPECT_EQ(cloud_extensions(), ".pcd, .ply, .bin");
}

}  // namespace
}  // namespace ndt::harness
