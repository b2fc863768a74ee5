// PCL as a second opinion on PCD: what either writes, both read to the same bits.
#include <pcl/io/pcd_io.h>

#include <cmath>

#include "pcd_files.hpp"
#include "pcl_clouds.hpp"

namespace ndt::harness {
namespace {

using PclReader = PcdFiles;

std::vector<Point> read_pcd_by_pcl(const std::filesystem::path& file) {
  pcl::PointCloud<pcl::PointXYZ> cloud;
  EXPECT_EQ(pcl::io::loadPCDFile(file.string(), cloud), 0) << file;
  return xyz_of(cloud);
}

TEST_F(PclReader, ReadsWhatWeWriteToTheSameBits) {
  for (const PcdEncoding encoding :
       {PcdEncoding::ascii, PcdEncoding::binary, PcdEncoding::binary_compressed}) {
    if (encoding == PcdEncoding::binary_compressed && !NDT_HAVE_LZF) continue;
    for (const std::size_t n : {1U, 2U, 5000U}) {
      // PCL reads text through a stream that refuses subnormal numbers.
      std::vector<Point> points = some_points(n);
      if (encoding == PcdEncoding::ascii) points[0].z = 0.1F;
      write_pcd(path(), {{}, points}, encoding);
      EXPECT_TRUE(same_bits(read_pcd_by_pcl(path()), points)) << static_cast<int>(encoding) << ", " << n;
      EXPECT_TRUE(same_bits(read_pcd(path()).points, points)) << static_cast<int>(encoding) << ", " << n;
    }
  }
}

/// Every encoding of PCL's writer; text with the digits that give a float back.
template <class PclPoint>
void expect_ours_reads(const pcl::PointCloud<PclPoint>& cloud, const std::filesystem::path& file) {
  pcl::PCDWriter writer;
  const auto check = [&](const char* encoding) {
    EXPECT_TRUE(same_bits(read_pcd(file).points, read_pcd_by_pcl(file))) << encoding;
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
  const std::vector<Point> ours = read_pcd(path()).points, theirs = read_pcd_by_pcl(path()),
                           wanted = xyz_of(cloud);
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
  EXPECT_TRUE(same_bits(ours.points, read_pcd_by_pcl(path())));
}

}  // namespace
}  // namespace ndt::harness
