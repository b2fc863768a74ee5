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
  std::string refusal_of(std::string_view text) const {
    return input_error_of([&] { read(text); });
  }
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

TEST_F(TableTest, EveryMistakeHasItsMessage) {
  EXPECT_THAT(refusal_of(""), HasSubstr("has no points"));
  EXPECT_THAT(refusal_of("x,y,z\n"), HasSubstr("has no points"));
  EXPECT_THAT(refusal_of("stamp,pose\n1,2\n"),
              HasSubstr("line 1: 'stamp' is not a number, and the line has no"));
  EXPECT_THAT(refusal_of("1 2\n"), HasSubstr("line 1: 2 values, expected 3 or more"));
  EXPECT_THAT(refusal_of("1 2 3\n\n1 2 3 4\n"), HasSubstr("line 3: 4 values, expected 3"));
  EXPECT_THAT(refusal_of("x,y,z,i\n1,2,3\n"), HasSubstr("line 2: 3 values, expected 4"));
  EXPECT_THAT(refusal_of("1,,3\n"), HasSubstr("line 1: value 2: '' is not a number"));
  EXPECT_THAT(refusal_of("1,2,\n"), HasSubstr("line 1: value 3: '' is not a number"));
  EXPECT_THAT(refusal_of("1 2 3\nx y z\n"), HasSubstr("line 2: value 1: 'x' is not a number"));
  EXPECT_THAT(refusal_of("1 2 1e999\n"), HasSubstr("value 3: '1e999' is out of range"));
  EXPECT_THAT(refusal_of(std::string(70'000, '1')), HasSubstr("line 1: is longer than 65536 bytes"));
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
  std::string refusal_of(std::string_view bytes) const {
    return input_error_of([&] { read(bytes); });
  }
};

TEST_F(NpyTest, FloatsAndDoublesAreRead) {
  EXPECT_TRUE(same_bits(read(array("'<f4'", "(2, 3)", kTwoPoints)).points, kTwo));
  EXPECT_TRUE(same_bits(
      read(array("'<f4'", "(2, 4)", bytes_of(1.f, 2.f, 3.f, 9.f, 4.f, 5.f, 6.f, 9.f))).points, kTwo));
  EXPECT_TRUE(same_bits(read(array("'<f8'", "(2, 3)", bytes_of(1., 2., 3., 4., 5., 6.))).points, kTwo));
  EXPECT_EQ(read(array("'<f4'", "(0, 3)", "")).size(), 0U);
}

TEST_F(NpyTest, EveryMistakeHasItsMessage) {
  const std::string good = array("'<f4'", "(2, 3)", kTwoPoints);
  EXPECT_THAT(refusal_of(""), HasSubstr("the file ends before the end of the header"));
  EXPECT_THAT(refusal_of("not an array"), HasSubstr("does not begin as a NumPy file"));
  EXPECT_THAT(refusal_of(good.substr(0, 60)), HasSubstr("118 bytes of header declared, 50 bytes follow"));
  EXPECT_THAT(refusal_of(good.substr(0, good.size() - 1)), HasSubstr("which is 24, but 23 bytes follow"));
  EXPECT_THAT(refusal_of("\x93NUMPY\x04" + good.substr(7)), HasSubstr("version 4 is unknown"));
  for (const auto& [type, shape, message] : std::initializer_list<std::array<const char*, 3>>{
           {"'<i4'", "(2, 3)", "the type is '<i4', not '<f4' or '<f8'"},
           {"'>f4'", "(2, 3)", "the type is '>f4'"},
           {"[('x', '<f4')]", "(2,)", "the type is [('x'"},
           {"'<f4'", "(2, 2)", "the shape is (2, 2), not (n, 3) or wider"},
           {"'<f4'", "(6,)", "the shape is (6,), not"},
           {"'<f4'", "(1, 2, 3)", "the shape is (1, 2, 3), not"},
           {"'<f4'", "(-1, 3)", "the shape is (-1, 3), not"},
           {"'<f4'", "(18446744073709551615, 3)", "is past the limit of 134217728 points"},
           {"'<f4'", "(1, 4611686018427387905)", "is past the limit"},
           {"'<f4'", "(134217728, 3)", "134217728 points of 12 bytes declared"}})
    EXPECT_THAT(refusal_of(array(type, shape, kTwoPoints)), HasSubstr(message)) << shape;
  EXPECT_THAT(refusal_of(array("'<f4'", "(2, 3)", kTwoPoints, "True")), HasSubstr("fortran_order is True"));
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
