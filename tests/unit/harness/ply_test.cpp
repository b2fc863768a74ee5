// Tests that the contents of real files are understood. That clouds come back is in cloud_file_test, bad
// files are in tests/catalogue.
#include <cmath>
#include <fstream>
#include <optional>

#include "ply_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;
using PlyTest = PlyFiles;

const std::vector<Point> kTwo = {{1, 2, 3}, {4, 5, 6}};

TEST_F(PlyTest, EveryFloatThatIsANumberComesBackFromText) {
  PointCloud cloud = noise(100'000);
  std::erase_if(cloud.points,
                [](const Point& p) { return std::isnan(p.x) || std::isnan(p.y) || std::isnan(p.z); });
  write_ply(path(), cloud, PlyEncoding::ascii);
  EXPECT_TRUE(same_bits(read_ply(path()).points, cloud.points));
}

TEST_F(PlyTest, TheTextIsAsReadersExpectIt) {
  write_ply(path(), {{}, {{0.1f, -0.f, -1e-40f}}}, PlyEncoding::ascii);
  EXPECT_EQ(written(), ply_header(vertices("1")) + "0.1 -0 -1e-40\n");
  write_ply(path(), {{}, kTwo}, PlyEncoding::binary_little_endian);
  EXPECT_EQ(written(), ply_header(vertices("2"), kLittle) + kTwoPoints);
  write_ply(path(), {{}, kTwo}, PlyEncoding::binary_big_endian);
  EXPECT_EQ(written(), ply_header(vertices("2"), kBig) + big_endian(kTwoPoints, 4));
}

TEST_F(PlyTest, DoublesOfBothByteOrdersAndTextAreCentred) {
  const std::string xyz = "property double x\nproperty float64 y\nproperty double z\n";
  const std::string body = bytes_of(4e6 + 0.25, -1.0, 2.0);
  for (const std::string& file : {ply_header(vertices("1", xyz), kLittle) + body,
                                  ply_header(vertices("1", xyz), kBig) + big_endian(body, 8),
                                  ply_header(vertices("1", xyz)) + "4000000.25 -1 2\n"}) {
    const PointCloud got = read(file);
    EXPECT_EQ(got.origin.x, 4e6);
    EXPECT_TRUE(same_bits(got.points, {{0.25f, 999.f, 2.f}}));
    EXPECT_EQ(got.origin.y, -1000);
  }
}

TEST_F(PlyTest, FloatAndDoubleCoordinatesMayBeMixedAndInAnyOrder) {
  const std::string xyz = "property double z\nproperty float32 x\nproperty float y\n";
  EXPECT_TRUE(same_bits(read(ply_header(vertices("1", xyz), kLittle) + bytes_of(0.1, 0.1f, 7.f)).points,
                        {{0.1f, 7, 0.1f}}));
  EXPECT_TRUE(same_bits(read(ply_header(vertices("1", xyz)) + "0.1 0.1 7").points, {{0.1f, 7, 0.1f}}));
}

// All types in both spellings around the coordinates.
const std::string kRich =
    "property char a\nproperty int8 b\nproperty uchar red\nproperty uint8 green\nproperty float x\nproperty "
    "short "
    "c\nproperty int16 d\nproperty ushort e\nproperty uint16 f\nproperty float32 y\nproperty int g\nproperty "
    "int32 "
    "h\nproperty uint i\nproperty uint32 j\nproperty float z\nproperty float nx\nproperty float32 "
    "ny\nproperty double "
    "k\nproperty float64 l\n";

TEST_F(PlyTest, PropertiesOfEveryTypeAreSkippedInBothByteOrders) {
  const std::int8_t c = 1;
  const std::int16_t s = 2;
  const std::int32_t i = 3;
  const auto record = [&](const Point& p, auto turn) {
    return bytes_of(c, c, c, c) + turn(bytes_of(p.x)) + bytes_of(s, s, s, s) + turn(bytes_of(p.y)) +
           bytes_of(i, i, i, i) + turn(bytes_of(p.z)) + bytes_of(9.f, 9.f, 9.0, 9.0);
  };
  const auto same = [](const std::string& bytes) { return bytes; };
  const auto turned = [](const std::string& bytes) { return big_endian(bytes, 4); };
  EXPECT_TRUE(same_bits(
      read(ply_header(vertices("2", kRich), kLittle) + record(kTwo[0], same) + record(kTwo[1], same)).points,
      kTwo));
  EXPECT_TRUE(same_bits(
      read(ply_header(vertices("2", kRich), kBig) + record(kTwo[0], turned) + record(kTwo[1], turned)).points,
      kTwo));
}

TEST_F(PlyTest, PropertiesOfEveryTypeAreSkippedInText) {
  const std::string rows =
      "-1 1 255 0 1 7 7 7 7 2 8 8 8 8 3 nan .5 9 1e300\n-1 1 255 0 4 7 7 7 7 5 8 8 8 8 6 0 0 0 0\n";
  EXPECT_TRUE(same_bits(read(ply_header(vertices("2", kRich)) + rows).points, kTwo));
}

// a list before, between and behind the coordinates; doubles, and a capital alone
const std::string kLists =
    "property list uchar ushort a\nproperty float X\nproperty double y\nproperty list uint char b\n"
    "property uchar i\nproperty float z\nproperty list char int c\n";

TEST_F(PlyTest, ListsOfVerticesAreSkippedInBinary) {
  const auto record = [](const Point& p, const std::string& a, const std::string& b, auto turn) {
    return bytes_of(static_cast<std::uint8_t>(a.size() / 2)) + a + turn(bytes_of(p.x)) +
           turn(bytes_of(static_cast<double>(p.y))) + turn(bytes_of(static_cast<std::uint32_t>(b.size()))) +
           b + "i" + turn(bytes_of(p.z)) + std::string(1, '\0');
  };
  const auto same = [](const std::string& bytes) { return bytes; };
  const auto turned = [](const std::string& bytes) { return big_endian(bytes, bytes.size()); };
  EXPECT_TRUE(same_bits(read(ply_header(vertices("2", kLists), kLittle) + record(kTwo[0], "", "xyz", same) +
                             record(kTwo[1], "1234", "", same))
                            .points,
                        kTwo));
  EXPECT_TRUE(same_bits(read(ply_header(vertices("2", kLists), kBig) + record(kTwo[0], "12", "x", turned) +
                             record(kTwo[1], "", "xy", turned))
                            .points,
                        kTwo));
}

TEST_F(PlyTest, ListsOfVerticesAreSkippedInText) {
  const std::string rows = "0 1 2 2 8 9 7 3 0\n3 7 8 9 4 5 0 7 6 1 -1\n";
  EXPECT_TRUE(same_bits(read(ply_header(vertices("2", kLists)) + rows).points, kTwo));
  const std::string faces = "element face 1\nproperty list uchar int v\n";
  EXPECT_TRUE(same_bits(read(ply_header(vertices("2", kLists) + faces) + rows + "3 0 1 2\n").points, kTwo));
}

const std::string kFaces = "property list uchar int vertex_indices\nproperty uchar red\n";

TEST_F(PlyTest, ElementsBehindTheVerticesAreNotLookedAt) {
  CloudInfo info{99};
  const std::string elements = vertices("2") + "element face 2\n" + kFaces;
  EXPECT_TRUE(same_bits(read(ply_header(elements, kLittle) + kTwoPoints + "rubbish", &info).points, kTwo));
  EXPECT_EQ(info.trailing_bytes, 0u);
  EXPECT_TRUE(
      same_bits(read(ply_header(elements) + "1 2 3\n4 5 6\n3 0 1 0 255\n3 0 1 0 255\n").points, kTwo));
}

TEST_F(PlyTest, ElementsInFrontOfTheVerticesAreSkippedInBinary) {
  const std::string elements =
      "element camera 2\nproperty float px\nproperty double f\nelement face 3\n" + kFaces + vertices("2");
  const auto body = [](auto turn) {
    std::string bytes(24, 'c');
    for (const int items : {3, 0, 4}) {
      bytes += static_cast<char>(items);
      for (int k = 0; k < items; ++k) bytes += bytes_of(k);
      bytes += 'r';
    }
    return bytes + turn(kTwoPoints);
  };
  EXPECT_TRUE(
      same_bits(read(ply_header(elements, kLittle) + body([](const auto& b) { return b; })).points, kTwo));
  EXPECT_TRUE(same_bits(
      read(ply_header(elements, kBig) + body([](const auto& b) { return big_endian(b, 4); })).points, kTwo));
}

TEST_F(PlyTest, ListsCountedByEveryIntegerTypeAreSkippedInBothByteOrders) {
  const auto check = [this](const std::string& type, auto three) {
    const std::string elements = "element e 1\nproperty list " + type + " short items\n" + vertices("2");
    EXPECT_TRUE(
        same_bits(read(ply_header(elements, kLittle) + bytes_of(three) + "aabbcc" + kTwoPoints).points, kTwo))
        << type;
    EXPECT_TRUE(same_bits(read(ply_header(elements, kBig) + big_endian(bytes_of(three), sizeof three) +
                               "aabbcc" + big_endian(kTwoPoints, 4))
                              .points,
                          kTwo))
        << type;
  };
  check("char", std::int8_t{3});
  check("uint8", std::uint8_t{3});
  check("int16", std::int16_t{3});
  check("ushort", std::uint16_t{3});
  check("int", std::int32_t{3});
  check("uint32", std::uint32_t{3});
}

TEST_F(PlyTest, SkippedElementsMayBeLargerThanTheBuffer) {
  const std::string elements =
      "element e 100000\nproperty double v\nelement f 1\nproperty list int double v\n" + vertices("2");
  const std::string body =
      std::string(800'000, 'e') + bytes_of(std::int32_t{50'000}) + std::string(400'000, 'f');
  CloudInfo info;
  EXPECT_TRUE(same_bits(read(ply_header(elements, kLittle) + body + kTwoPoints + "!", &info).points, kTwo));
  EXPECT_EQ(info.trailing_bytes, 1u);
}

TEST_F(PlyTest, ElementsInFrontOfTheVerticesAreSkippedInText) {
  const std::string elements =
      "element camera 1\nproperty float px\nelement face 3\n" + kFaces + vertices("2");
  EXPECT_TRUE(same_bits(
      read(ply_header(elements) + "0.5\n3 0 1 2 255\n\n 0\t0 \r\n1 7 0\n1 2 3\n4 5 6\n").points, kTwo));
}

TEST_F(PlyTest, ElementsWithoutRecordsOrPropertiesTakeNothing) {
  const std::string elements =
      "element a 0\nproperty list uchar int b\nelement nothing 18446744073709551615\n" + vertices("2") +
      "element c 0\nproperty int d\n";
  CloudInfo info;
  EXPECT_TRUE(same_bits(read(ply_header(elements, kLittle) + kTwoPoints + "abc", &info).points, kTwo));
  EXPECT_EQ(info.trailing_bytes, 3u) << "element c has no records, so nothing is expected here";
  EXPECT_TRUE(same_bits(read(ply_header(elements) + "1 2 3\n4 5 6\n").points, kTwo));
}

TEST_F(PlyTest, CommentsBlankLinesAndWindowsLineEndsAreAccepted) {
  std::string header = "ply\ncomment " + std::string(1000, 'c') + "\n\nobj_info x\nformat " + kLittle +
                       " 1.0\ncomment\nelement  vertex\t2 \n" + kXyz + "end_header\n";
  EXPECT_TRUE(same_bits(read(header + kTwoPoints).points, kTwo));
  for (std::size_t at = 0; (at = header.find('\n', at)) != std::string::npos; at += 2)
    header.insert(at, "\r");
  EXPECT_TRUE(same_bits(read(header + kTwoPoints).points, kTwo));
  const std::string newlines = "\n\n\n\n";  // the first bytes of a body may look like text
  EXPECT_EQ(bytes_of(read(header + newlines + kTwoPoints.substr(4)).points[0].x), newlines);
}

TEST_F(PlyTest, NansAndInfinitiesAreKept) {
  const auto points = read(ply_header(vertices("2")) + "nan -NAN inf\n-Infinity 1e-60 0\n").points;
  EXPECT_TRUE(std::isnan(points[0].x) && std::isnan(points[0].y) && std::isinf(points[0].z));
  EXPECT_TRUE(std::isinf(points[1].x) && points[1].y == 0);
}

/// System calls that read, of this process so far; nothing where the system does not count them.
std::optional<long> reads_so_far() {
  std::ifstream in("/proc/self/io");
  for (std::string key; in >> key;)
    if (long count = 0; key == "syscr:" && in >> count) return count;
  return std::nullopt;
}

TEST_F(PlyTest, ListsInFrontOfTheVerticesAreReadInBulk) {
  const auto before_and_after = [&](std::size_t lists, const std::string& items) {
    std::string body;
    for (std::size_t k = 0; k < lists; ++k) body += bytes_of(static_cast<std::uint8_t>(items.size())) + items;
    const std::string header = ply_header(
        "element face " + std::to_string(lists) + "\nproperty list uchar char v\n" + vertices("2"), kLittle);
    put(header + body + kTwoPoints);
    const auto before = reads_so_far();
    EXPECT_TRUE(same_bits(read_ply(path()).points, {{1, 2, 3}, {4, 5, 6}}));
    return reads_so_far().value_or(0) - before.value_or(0);
  };
  EXPECT_LT(before_and_after(200'000, ""), 100);
  EXPECT_LT(before_and_after(200'000, "abc"), 100);
  EXPECT_LT(before_and_after(20'000, std::string(200, 'x')), 200);
}

}  // namespace
}  // namespace ndt::harness
