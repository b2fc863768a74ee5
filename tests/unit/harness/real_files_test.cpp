// Files that other programs wrote, in the folder that NDT_DATASETS names; skipped where there is none.
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/io_names.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/cloud_output.hpp"
#include "ndt/io/trajectory.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

class RealFilesTest : public ScratchFiles {
 protected:
  RealFilesTest() : ScratchFiles("copy.ply") {}
  void SetUp() override {
    const char* const folder = std::getenv("NDT_DATASETS");
    if (folder == nullptr || !std::filesystem::is_directory(folder))
      GTEST_SKIP() << "NDT_DATASETS names no folder";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files_.push_back(entry.path());
  }
  std::vector<std::filesystem::path> with(const std::string& ending) const {
    std::vector<std::filesystem::path> found;
    for (const auto& file : files_)
      if (file.native().ends_with(ending)) found.push_back(file);
    return found;
  }
  /// Folders name their scans so; other .bin files are of other kinds.
  std::vector<std::filesystem::path> kitti_scans() const {
    std::vector<std::filesystem::path> found = with(".bin");
    std::erase_if(found, [](const auto& file) { return file.parent_path().filename() != "scans"; });
    return found;
  }

 private:
  std::vector<std::filesystem::path> files_;
};

TEST_F(RealFilesTest, CloudsAreReadWholeAndSurviveEveryPlyEncoding) {
  std::map<std::filesystem::path, std::filesystem::path> one_of_each_folder;
  for (const auto& file : with(".pcd"))
    if (std::filesystem::file_size(file) < (4u << 20)) one_of_each_folder[file.parent_path()] = file;
  for (const auto& file : kitti_scans()) one_of_each_folder[file.parent_path()] = file;
  if (one_of_each_folder.empty()) GTEST_SKIP() << "no clouds there";
  for (const auto& [folder, file] : one_of_each_folder) {
    CloudInfo info;
    const PointCloud cloud = read_cloud(file, &info);
    EXPECT_GT(cloud.size(), 100u) << file;
    EXPECT_EQ(info.trailing_bytes, 0u) << file;
    if (cloud.origin.x != 0 || cloud.origin.y != 0 || cloud.origin.z != 0) continue;  // goes through double
    for (const PlyEncoding encoding :
         {PlyEncoding::ascii, PlyEncoding::binary_little_endian, PlyEncoding::binary_big_endian}) {
      write_ply(path(), cloud, encoding);
      EXPECT_TRUE(same_bits(read_ply(path()).points, cloud.points)) << file;
    }
  }
}

TEST_F(RealFilesTest, AnyCloudAsRecordsOfFourIsReadAndAsThreeIsRefused) {
  int clouds = 0;
  for (const auto& file : with(".pcd")) {
    if (std::filesystem::file_size(file) > (4u << 20) || ++clouds > 200) continue;
    const PointCloud cloud = read_cloud(file);
    if (has_origin(cloud)) continue;
    write_kitti_bin(path("copy.bin"), cloud);
    EXPECT_EQ(read_kitti_bin(path("copy.bin")).size(), cloud.size()) << file;
    std::vector<Vec3<float>> points = finite_points(cloud, cloud.origin).points;
    points.resize(points.size() / 4 * 4);
    if (points.size() < 2000) continue;
    std::ofstream(path("three.bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(points.data()),
               static_cast<std::streamsize>(points.size() * sizeof points[0]));
    EXPECT_THAT(input_error_of([&] { read_kitti_bin(path("three.bin")); }),
                testing::HasSubstr("records of 3"))
        << file;
  }
  if (clouds == 0) GTEST_SKIP() << "no clouds there";
}

TEST_F(RealFilesTest, ScansOfKittiLieWithinTheRangeOfTheSensor) {
  if (kitti_scans().empty()) GTEST_SKIP() << "no scans of KITTI there";
  for (const auto& file : kitti_scans())
    for (const Point& p : read_cloud(file).points) ASSERT_LT(std::hypot(p.x, p.y, p.z), 150.f) << file;
}

TEST_F(RealFilesTest, TrajectoriesAreReadLineByLine) {
  const auto lines_of = [](const std::filesystem::path& file) {
    std::ifstream in(file);
    std::size_t lines = 0;
    for (std::string line; std::getline(in, line);) lines += line.empty() || line[0] == '#' ? 0 : 1;
    return lines;
  };
  const auto tum = with(".tum"), kitti = with("_kitti.txt");
  if (tum.empty() && kitti.empty()) GTEST_SKIP() << "no trajectories there";
  for (const auto& file : tum) {
    TrajectoryInfo info;
    EXPECT_EQ(read_tum(file, &info).size(), lines_of(file)) << file;
    EXPECT_LT(info.worst_norm_error, 1e-6) << file;
  }
  for (const auto& file : kitti) EXPECT_EQ(read_kitti_poses(file).size(), lines_of(file)) << file;
}

}  // namespace
}  // namespace ndt::harness
