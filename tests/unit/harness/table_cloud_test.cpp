#include <fmt/format.h>

#include <cmath>

#include "base/io_names.hpp"
#include "bytes.hpp"
#include "ndt/io/cloud_file.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

const std::vector<Point> kTwo = {{1, 2, 3}, {4, 5, 6}};

class TableTest : public ScratchFiles {
 protected:
  TableTest() : ScratchFiles("scan.csv") {}
  std::vector<Point> read(std::string_view text) const { return read_cloud(put(text)).points; }
};

TEST_F(TableTest, RowsOfBlanksOrCommasAreRead) {
  for (const char* text : {"1 2 3\n4 5 6\n", "1,2,3\n4,5,6", "\r\n 1\t2  3 9\r\n\r\n4 5.0 .6e1 9\r\n",
                           "1 , 2, 3\n4,5 ,6\n", "# exported\n// the z of x and y\n1 2 3\n# and\n4 5 6\n"})
    EXPECT_TRUE(same_bits(read(text), kTwo)) << text;
}

TEST_F(TableTest, NamesOfColumnsChooseThem) {
  for (const char* text :
       {"t,x,y,z\n9,1,2,3\n9,4,5,6\n", "\"t\",\"x\",\"y\",\"z\"\n9,1,2,3\n9,4,5,6\n",
        "//X Y Z R\n1 2 3 9\n4 5 6 9\n", "# z y x\n3 2 1\n6 5 4\n", "X,x,y,z\n9,1,2,3\n9,4,5,6\n"})
    EXPECT_TRUE(same_bits(read(text), kTwo)) << text;
}

TEST_F(TableTest, PointsThatAreNotFiniteAreKeptAndFarOnesGetAnOrigin) {
  const std::vector<Point> points = read("nan,2,3\n4,-nan(ind),6\n");
  EXPECT_TRUE(std::isnan(points[0].x) && std::isnan(points[1].y));
  EXPECT_EQ(read_cloud(put("500000.25,5400000.5,100\n")).origin.y, 5400000);
}

class NpyTest : public ScratchFiles {
 protected:
  NpyTest() : ScratchFiles("scan.npy") {}

  static std::string array(const std::string& type, const std::string& shape, const std::string& body,
                           const std::string& order = "False") {
    std::string header =
        fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
    header.append(117 - header.size(), ' ').push_back('\n');
    return "\x93NUMPY" +
           bytes_of(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint16_t>(header.size())) + header +
           body;
  }
  PointCloud read(std::string_view bytes) const { return read_cloud(put(bytes)); }
};

TEST_F(NpyTest, FloatsAndDoublesAreRead) {
  EXPECT_TRUE(same_bits(read(array("'<f4'", "(2, 3)", kTwoPoints)).points, kTwo));
  EXPECT_TRUE(same_bits(
      read(array("'<f4'", "(2, 4)", bytes_of(1.f, 2.f, 3.f, 9.f, 4.f, 5.f, 6.f, 9.f))).points, kTwo));
  EXPECT_TRUE(same_bits(read(array("'<f8'", "(2, 3)", bytes_of(1., 2., 3., 4., 5., 6.))).points, kTwo));
  EXPECT_EQ(read(array("'<f4'", "(0, 3)", "")).size(), 0U);
}

TEST(CloudsAmong, FormatsThatAreReadOnlyCountWhereNothingElseIs) {
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(clouds_among({"b.XYZ", "a.pcd", "times.csv", "poses.npy", "c.PLY"}), (Paths{"a.pcd", "c.PLY"}));
  EXPECT_EQ(clouds_among({"times.csv", "b.XYZ", "poses.npy", "a.xyz"}), (Paths{"b.XYZ", "a.xyz"}));
  EXPECT_EQ(clouds_among({"times.csv", "a.npy", "c.txt"}), (Paths{"a.npy"}));
  EXPECT_EQ(clouds_among({"a.csv", "c.txt"}), (Paths{"a.csv"}));
  EXPECT_EQ(clouds_among({"c.txt"}), Paths{});
}

TEST_F(TableTest, TheyAreNotWritten) {
  for (const char* name : {"a.xyz", "a.csv", "a.npy"}) {
    EXPECT_FALSE(is_written_cloud(name));
    EXPECT_THAT(input_error_of([&] {
                  write_cloud(path(name), {{}, {{1, 2, 3}}});
                }),
                HasSubstr("is not written; give a file in .pcd, .ply or .bin"));
    EXPECT_FALSE(std::filesystem::exists(path(name)));
  }
}

}  // namespace
}  // namespace ndt::harness
