// Every file of the catalogue: its exact answer, at once, and without taking memory for what it only claims.
#include "catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>

#include "asked_memory.hpp"
#include "base/io_names.hpp"
#include "data/sources.hpp"
#include "io/ros_parameters.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/map_metadata.hpp"
#include "ndt/io/trajectory.hpp"
#include "run/presets.hpp"
#include "small_dataset.hpp"
#include "temporary_folder.hpp"

namespace ndt::catalogue {

/// GoogleTest prints parameters.
void PrintTo(const Entry& entry, std::ostream* out) { *out << entry.name; }

namespace {

constexpr std::size_t kMostMemory = std::size_t{16} << 20;  // the largest cloud here is far smaller
constexpr double kMostTime_ms = 10;
constexpr int kTries = 20;  // the fastest counts: other programs run too

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kTimed = false;  // a sanitizer's own time says nothing
#else
constexpr bool kTimed = true;
#endif

/// The outcome of a reader: what it read, or why it refused.
struct Outcome {
  Accepted accepted;
  std::string refusal;  ///< empty if it was accepted
};

template <class Reader>
Accepted read_cloud(Reader reader, const std::filesystem::path& file) {
  harness::CloudInfo info;
  const PointCloud cloud = reader(file, &info);
  const std::int64_t non_finite = finite_points(cloud, cloud.origin).dropped;
  return {cloud.size(), static_cast<std::uint64_t>(non_finite), info.trailing_bytes, ""};
}

Accepted read(Format format, const std::filesystem::path& file) {
  switch (format) {
    case Format::pcd: return read_cloud(harness::read_pcd, file);
    case Format::ply: return read_cloud(harness::read_ply, file);
    case Format::kitti_bin:
      return read_cloud([](const auto& bin, auto* info) { return harness::read_kitti_bin(bin, info); }, file);
    case Format::csv:
    case Format::npy:
      return read_cloud([](const auto& any, auto* info) { return harness::read_cloud(any, info); }, file);
    case Format::tum: return {harness::read_tum(file).size()};
    case Format::kitti_poses: return {harness::read_kitti_poses(file).size()};
    case Format::metadata_yaml: return {harness::read_map_metadata(file).tiles.size()};
    case Format::ros_yaml: return {harness::RosParameters::read(file, "node").names().size()};
    case Format::preset_toml: return {harness::find_preset(file.string()).studies.size()};
    case Format::dataset_toml: break;
  }
  return {harness::read_dataset(file, file.parent_path()).frames.size()};
}

Outcome read_or_refuse(Format format, const std::filesystem::path& file) {
  try {
    return {read(format, file), ""};
  } catch (const InputError& error) {
    return {{}, error.what()};
  }
}

class Catalogue : public testing::TestWithParam<Entry> {
 protected:
  void SetUp() override {
    if (GetParam().format == Format::dataset_toml) harness::write_small_dataset(folder_.path());
    GetParam().make(file_);
  }
  Outcome read() const { return read_or_refuse(GetParam().format, file_); }

  double fastest_read_ms() const {
    double fastest_ms = HUGE_VAL;
    for (int i = 0; i < kTries && fastest_ms > kMostTime_ms; ++i) {
      const auto start = std::chrono::steady_clock::now();
      read();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      fastest_ms = std::min(fastest_ms, took.count());
    }
    return fastest_ms;
  }

  harness::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / file_name(GetParam());
};

TEST_P(Catalogue, GetsItsAnswerAndNoMemoryForWhatIsNotThere) {
  const std::size_t before = asked_memory();
  const Outcome got = read();
  EXPECT_LE(asked_memory() - before, kMostMemory);
  if (const auto* refused = std::get_if<Refused>(&GetParam().answer)) {
    const std::string refusal = file_.string() + ": " + refused->message;
    if (refusal.ends_with("..."))
      EXPECT_THAT(got.refusal, testing::StartsWith(refusal.substr(0, refusal.size() - 3)));
    else
      EXPECT_EQ(got.refusal, refusal);
    if (kTimed) {
      EXPECT_LE(fastest_read_ms(), kMostTime_ms);
    }
    return;
  }
  const auto& accepted = std::get<Accepted>(GetParam().answer);
  EXPECT_EQ(got.refusal, "");
  EXPECT_EQ(got.accepted.points, accepted.points);
  EXPECT_EQ(got.accepted.non_finite, accepted.non_finite);
  EXPECT_EQ(got.accepted.trailing_bytes, accepted.trailing_bytes);
}

INSTANTIATE_TEST_SUITE_P(Files, Catalogue, testing::ValuesIn(entries()),
                         [](const auto& test) { return test.param.name; });

TEST(CatalogueTable, IsLargeAndItsNamesAreUnique) {
  std::set<std::string> names;
  for (const Entry& entry : entries()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  EXPECT_GE(names.size(), 120U);
}

bool is_text(const std::string& whole) { return whole.find("ascii") != std::string::npos; }

/// The bytes that a reading needs: in text the last word may end early, and what trails is not read.
std::size_t needed_bytes(const Entry& entry, const std::string& whole) {
  if (!is_text(whole)) return whole.size() - std::get<Accepted>(entry.answer).trailing_bytes;
  const std::size_t last_word = whole.find_last_of(" \t\n", whole.find_last_not_of(" \t\r\n"));
  return whole.find_first_not_of(" \t\n", last_word) + 1;
}

TEST(CatalogueTable, AGoodFileCutAtAnyByteIsRefusedWithItsRemedy) {
  const std::set<std::string> whole_files = {"pcd_plain",       "pcd_ascii_plain", "pcd_compressed_plain",
                                             "ply_plain",       "ply_ascii_plain", "ply_binary_big_endian",
                                             "ply_faces_plain", "bin_three_points"};
  const harness::TemporaryFolder folder;
  std::size_t files = 0;
  for (const Entry& entry : entries()) {
    if (!whole_files.contains(entry.name)) continue;
    ++files;
    const std::filesystem::path file = folder.path() / file_name(entry);
    entry.make(file);
    std::ifstream in(file, std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    for (std::size_t n = 0; n < whole.size(); ++n) {
      std::ofstream(file, std::ios::binary).write(whole.data(), static_cast<std::streamsize>(n));
      const std::string refusal = read_or_refuse(entry.format, file).refusal;
      const bool cut = entry.format == Format::kitti_bin ? n % 16 != 0 : n < needed_bytes(entry, whole);
      if (cut) {
        EXPECT_THAT(refusal, testing::HasSubstr("; ")) << entry.name << " cut at byte " << n;
      } else if (!is_text(whole)) {
        EXPECT_EQ(refusal, "") << entry.name << " cut at byte " << n;
      }
    }
  }
  EXPECT_GE(files, whole_files.size() - 1) << "liblzf may be missing";
}

TEST(AskedMemory, CountsWhatIsAskedForThoughNeverUsed) {
  const std::size_t before = asked_memory();
  ::operator delete(::operator new (std::size_t{64} << 20));
  EXPECT_GE(asked_memory() - before, std::size_t{64} << 20);
}

}  // namespace
}  // namespace ndt::catalogue
