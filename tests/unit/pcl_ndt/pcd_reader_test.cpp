// PCL as a second opinion on PCD: what either writes, both read to the same bits.
#include <pcl/io/pcd_io.h>

#include <cmath>
#include <limits>
#include <random>

#include "pcd_files.hpp"

namespace ndt::harness {
namespace {

using PclReader = PcdFiles;

/// With 0 and -0, subnormal, huge and non-finite coordinates among them.
std::vector<Point> some_points(std::size_t n) {
  std::mt19937 random(11);
  std::normal_distribution<float> metres(0, 50);
  std::vector<Point> points = {{0.F, -0.F, 1e-40F}, {3.4e38F, -1e-30F, 16777217.F}};
  while (points.size() < n) points.push_back({metres(random), metres(random), metres(random)});
  points.resize(n);
  return points;
}

template <class Cloud>
std::vector<Point> xyz_of(const Cloud& cloud) {
  std::vector<Point> points;
  for (const auto& p : cloud) points.push_back({p.x, p.y, p.z});
  return points;
}

std::vector<Point> read_by_pcl(const std::filesystem::path& file) {
  pcl::PointCloud<pcl::PointXYZ> cloud;
  EXPECT_EQ(pcl::io::loadPCDFile(file.string(), cloud), 0) << file;
  return xyz_of(cloud);
}

TEST_F(PclReader, ReadsWhatWeWriteToTheSameBits) {
  for (const PcdEncoding encoding : {PcdEncoding::ascii, PcdEncoding::binary, PcdEncoding::binary_compressed}) {
    if (encoding == PcdEncoding::binary_compressed && !NDT_HAVE_LZF) continue;
    for (const std::size_t n : {1U, 2U, 5000U}) {
      // PCL reads text through a stream that refuses subnormal numbers.
      std::vector<Point> points = some_points(n);
      if (encoding == PcdEncoding::ascii) points[0].z = 0.1F;
      write_pcd(path(), {{}, points}, encoding);
      EXPECT_TRUE(same_bits(read_by_pcl(path()), points)) << static_cast<int>(encoding) << ", " << n;
      EXPECT_TRUE(same_bits(read_pcd(path()).points, points)) << static_cast<int>(encoding) << ", " << n;
    }
  }
}

template <class PclPoint>
pcl::PointCloud<PclPoint> pcl_cloud(std::size_t n) {
  pcl::PointCloud<PclPoint> cloud;
  for (const Point& p : some_points(n)) {
    PclPoint q;
    q.x = p.x, q.y = p.y, q.z = p.z;
    cloud.push_back(q);
  }
  cloud.points[n / 2].y = std::numeric_limits<float>::quiet_NaN();
  cloud.is_dense = false;
  return cloud;
}

/// Every encoding of PCL's writer; text with the digits that give a float back.
template <class PclPoint>
void expect_ours_reads(const pcl::PointCloud<PclPoint>& cloud, const std::filesystem::path& file) {
  pcl::PCDWriter writer;
  const auto check = [&](const char* encoding) {
    EXPECT_TRUE(same_bits(read_pcd(file).points, read_by_pcl(file))) << encoding;
    EXPECT_TRUE(same_bits(read_pcd(file).points, xyz_of(cloud))) << encoding;
  };
  ASSERT_EQ(writer.writeBinary(file.string(), cloud), 0);
  check("binary");
  if (NDT_HAVE_LZF) {
    ASSERT_EQ(writer.writeBinaryCompressed(file.string(), cloud), 0);
    check("binary_compressed");
  }
}

TEST_F(PclReader, WritesBinaryThatWeReadToTheSameBits) {
  expect_ours_reads(pcl_cloud<pcl::PointXYZ>(3000), path());
  expect_ours_reads(pcl_cloud<pcl::PointXYZI>(3000), path());
  expect_ours_reads(pcl_cloud<pcl::PointXYZRGBNormal>(3000), path());
}

TEST_F(PclReader, WritesTextThatWeReadToTheSameBits) {
  auto cloud = pcl_cloud<pcl::PointXYZI>(3000);
  cloud[0].z = 0.1F;
  ASSERT_EQ(pcl::PCDWriter().writeASCII(path().string(), cloud, 9), 0);
  const std::vector<Point> ours = read_pcd(path()).points, theirs = read_by_pcl(path()), wanted = xyz_of(cloud);
  ASSERT_EQ(ours.size(), wanted.size());
  ASSERT_EQ(theirs.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i].y)) {  // text has no sign and payload of a NaN
      EXPECT_TRUE(std::isnan(ours[i].y) && std::isnan(theirs[i].y));
      continue;
    }
    EXPECT_TRUE(same_bits({ours[i]}, {wanted[i]})) << "point " << i;
    EXPECT_TRUE(same_bits({theirs[i]}, {wanted[i]})) << "point " << i;
  }
}

TEST_F(PclReader, AgreesOnFieldsInAnyOrderBetweenTheCoordinates) {
  const Header header{.fields = "FIELDS intensity x ring y z time",
                      .size = "SIZE 4 4 2 4 4 8",
                      .type = "TYPE F F U F F F",
                      .count = "COUNT 1 1 1 1 1 1"};
  const std::string body = bytes_of(9.F, 1.25F, std::uint16_t{3}, -2.5F, 0.1F, 1e9) +
                           bytes_of(8.F, -0.F, std::uint16_t{4}, 1e-40F, 3e38F, 2e9);
  const PointCloud ours = read(header.text() + body);
  EXPECT_EQ(ours.size(), 2U);
  EXPECT_TRUE(same_bits(ours.points, read_by_pcl(path())));
}

}  // namespace
}  // namespace ndt::harness
