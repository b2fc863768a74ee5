// PCL as a second opinion on PLY: what either writes, both read to the same bits.
#include <pcl/io/ply_io.h>

#include "base/io_names.hpp"
#include "ndt/io/cloud_file.hpp"
#include "pcl_clouds.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

class PclPlyReader : public ScratchFiles {
 protected:
  PclPlyReader() : ScratchFiles("scan.ply") {}
};

std::vector<Point> read_ply_by_pcl(const std::filesystem::path& file) {
  pcl::PointCloud<pcl::PointXYZ> cloud;
  EXPECT_EQ(pcl::io::loadPLYFile(file.string(), cloud), 0) << file;
  return xyz_of(cloud);
}

TEST_F(PclPlyReader, ReadsWhatWeWriteToTheSameBits) {
  for (const PlyEncoding encoding :
       {PlyEncoding::ascii, PlyEncoding::binary_little_endian, PlyEncoding::binary_big_endian})
    for (const std::size_t n : {1U, 2U, 5000U}) {
      // PCL reads text through a stream that refuses subnormal numbers.
      std::vector<Point> points = some_points(n);
      if (encoding == PlyEncoding::ascii) points[0].z = 0.1F;
      write_ply(path(), {{}, points}, encoding);
      EXPECT_TRUE(same_bits(read_ply_by_pcl(path()), points)) << static_cast<int>(encoding) << ", " << n;
      EXPECT_TRUE(same_bits(read_ply(path()).points, points)) << static_cast<int>(encoding) << ", " << n;
    }
}

template <class PclPoint>
void expect_ours_reads_binary(const std::filesystem::path& file) {
  const pcl::PointCloud<PclPoint> cloud = pcl_cloud<PclPoint>(3000);
  ASSERT_EQ(pcl::io::savePLYFileBinary(file.string(), cloud), 0);
  EXPECT_TRUE(same_bits(read_ply(file).points, xyz_of(cloud)));
  EXPECT_TRUE(same_bits(read_ply_by_pcl(file), xyz_of(cloud)));
}

TEST_F(PclPlyReader, WritesBinaryThatWeReadToTheSameBits) {
  expect_ours_reads_binary<pcl::PointXYZ>(path());
  expect_ours_reads_binary<pcl::PointXYZI>(path());
  expect_ours_reads_binary<pcl::PointXYZRGBNormal>(path());
}

TEST_F(PclPlyReader, WritesTextThatBothReadToTheSameBits) {
  pcl::PointCloud<pcl::PointXYZI> cloud = pcl_cloud<pcl::PointXYZI>(3000);
  cloud[0].z = 0.1F;
  cloud[1500].y = 1;  // text has no NaN that both take
  ASSERT_EQ(pcl::io::savePLYFileASCII(path().string(), cloud), 0);
  EXPECT_TRUE(same_bits(read_ply(path()).points, read_ply_by_pcl(path())));
}

}  // namespace
}  // namespace ndt::harness
