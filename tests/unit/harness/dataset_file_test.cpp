#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "data/sources.hpp"
#include "ndt/io/cloud_file.hpp"
#include "scratch_files.hpp"
#include "small_dataset.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

constexpr const char* kHead = "format = 1\nname = \"drive\"\ndescription = \"d\"\n";

class DatasetFile : public ScratchFiles {
 protected:
  DatasetFile() : ScratchFiles("dataset.toml") { write_small_dataset(path().parent_path()); }
  Dataset read(const std::string& rest) { return read_dataset(put(kHead + rest), path().parent_path()); }
  std::string refusal_of(const std::string& rest) {
    return input_error_of([&] { read(rest); });
  }
};

constexpr const char* kScans = "kind = \"scan_to_map\"\nmap = \"map.pcd\"\nscans = [\"0*.pcd\"]\n";
constexpr const char* kTruth =
    "[truth]\nfile = \"poses.tum\"\nformat = \"tum\"\nquality = \"exact\"\nexact = true\n";

TEST_F(DatasetFile, ScansComeSortedByNameWithTheirTruth) {
  const Dataset d = read(std::string(kScans) + kTruth);
  EXPECT_EQ(d.name, "drive");
  EXPECT_TRUE(d.one_map && d.truth.exact);
  ASSERT_EQ(d.frames.size(), 3u);
  EXPECT_EQ(d.frames[2].name, "002");
  EXPECT_EQ(translation_of(*d.frames[2].truth).x, 20);
  EXPECT_EQ(d.scan(1).points[0].x, 2);
  EXPECT_EQ(d.map(1).points[0].x, 5);
  EXPECT_EQ(d.resolution_m, 2.0);
  EXPECT_EQ(d.truth.success_translation_m, 0.2);
}

TEST_F(DatasetFile, BinFieldsAreOfScansAndMap) {
  const std::string bin = "kind = \"scan_to_map\"\nmap = \"map.bin\"\nscans = [\"a.bin\"]\n";
  std::ofstream(path("a.bin"), std::ios::binary)
      << bytes_of(1.f, 2.f, 3.f, 9.f, 9.f, 4.f, 5.f, 6.f, 9.f, 9.f);
  std::ofstream(path("map.bin"), std::ios::binary) << bytes_of(7.f, 8.f, 9.f, 0.f, 0.f);
  const Dataset d = read("bin_fields = 5\n" + bin);
  EXPECT_TRUE(same_bits(d.scan(0).points, {{1, 2, 3}, {4, 5, 6}}));
  EXPECT_TRUE(same_bits(d.raw_scan(0).points, {{1, 2, 3}, {4, 5, 6}}));
  EXPECT_TRUE(same_bits(d.map(0).points, {{7, 8, 9}}));
  EXPECT_THAT(input_error_of([&] { read(bin).scan(0); }),
              HasSubstr("8 bytes after the last whole record of 16"));
}

TEST_F(DatasetFile, FramesChooseScansAndKeepTheirTruth) {
  const Dataset d = read(std::string(kScans) + "[frames]\nfirst = 1\nstep = 1\ncount = 1\n" + kTruth);
  ASSERT_EQ(d.frames.size(), 1u);
  EXPECT_EQ(d.frames[0].name, "001");
  EXPECT_EQ(translation_of(*d.frames[0].truth).x, 10);
  EXPECT_EQ(d.scan(0).points[0].x, 2);
}

TEST_F(DatasetFile, ScansHaveTheTimesOfATumTruthAndOfNoOther) {
  const Dataset d = read(std::string(kScans) + "[frames]\nfirst = 1\n" + kTruth);
  EXPECT_EQ(d.frames[0].stamp_s, 1.5);
  EXPECT_EQ(d.frames[1].stamp_s, 2.5);
  EXPECT_TRUE(d.odometry.empty());
  EXPECT_FALSE(read(kScans).frames[0].stamp_s) << "no truth";
}

TEST_F(DatasetFile, OdometryForALocalisationIsReadWhole) {
  const Dataset d = read(std::string(kScans) + "[odometry]\nfile = \"poses.tum\"\n");
  ASSERT_EQ(d.odometry.size(), 3u);
  EXPECT_EQ(d.odometry[1].time_s, 1.5);
  EXPECT_EQ(translation_of(d.odometry[2].map_from_body).x, 20);
}

TEST_F(DatasetFile, GnssForALocalisationIsReadWhole) {
  const Dataset d = read(std::string(kScans) + "[gnss]\nfile = \"poses.tum\"\n");
  ASSERT_EQ(d.gnss.size(), 3u);
  EXPECT_EQ(d.gnss[1].time_s, 1.5);
  EXPECT_EQ(translation_of(d.gnss[2].map_from_body).x, 20);
  EXPECT_TRUE(d.odometry.empty());
}

TEST_F(DatasetFile, ScansWithoutATruthMayHaveTimes) {
  std::ofstream(path("times.txt")) << "10\n11.25\n13\n";
  const Dataset d = read(std::string(kScans) + "[frames]\nfirst = 1\n[times]\nfile = \"times.txt\"\n");
  ASSERT_EQ(d.frames.size(), 2u);
  EXPECT_EQ(d.frames[0].stamp_s, 11.25);
  EXPECT_EQ(d.frames[1].stamp_s, 13);
  EXPECT_FALSE(d.frames[0].truth);
  const std::string times = std::string(kScans) + "[times]\nfile = \"times.txt\"\n";
  EXPECT_THAT(refusal_of(times + kTruth), HasSubstr("times.file: the truth has times already; drop [times]"));
  std::ofstream(path("times.txt")) << "10\n11\n";
  EXPECT_THAT(refusal_of(times), HasSubstr("times.file: 2 times for 3 scans; give one time for every scan"));
  std::ofstream(path("times.txt")) << "10\n11\n11\n";
  EXPECT_THAT(refusal_of(times), HasSubstr("line 3: time 11 does not come after 11, the one before"));
}

TEST_F(DatasetFile, ScansKeepTheOrderInWhichTheirTruthWasWritten) {
  std::filesystem::rename(path("002.pcd"), path("0_2.pcd"));
  std::filesystem::rename(path("001.pcd"), path("0_10.pcd"));
  std::filesystem::remove(path("000.pcd"));
  std::ofstream(path("times.txt")) << "10\n11\n";
  const std::string times = std::string(kScans) + "[times]\nfile = \"times.txt\"\n";
  EXPECT_EQ(read(kScans).frames[0].name, "0_2") << "by number where nothing says otherwise";
  EXPECT_TRUE(read(kScans).notes.empty());
  const Dataset by_letter = read(times);
  EXPECT_EQ(by_letter.frames[0].name, "0_10");
  ASSERT_EQ(by_letter.notes.size(), 1u);
  EXPECT_THAT(by_letter.notes[0], HasSubstr("'0_10' before '0_2'"));
  EXPECT_THAT(by_letter.notes[0], HasSubstr("order = \"number\""));
  EXPECT_EQ(read("order = \"number\"\n" + times).frames[0].name, "0_2");
  EXPECT_EQ(read("order = \"name\"\n" + times).frames[0].name, "0_10");
  EXPECT_TRUE(read("order = \"name\"\n" + times).notes.empty());
}

TEST_F(DatasetFile, ASequenceHasAllItsScansForAnotherMap) {
  std::ofstream(path("times.txt")) << "10\n11\n12\n";
  const Dataset d = read("kind = \"sequence\"\nscans = [\"0*.pcd\"]\n[times]\nfile = \"times.txt\"\n");
  ASSERT_TRUE(d.recording);
  EXPECT_THAT(d.recording->names, testing::ElementsAre("000", "001", "002"));
  EXPECT_THAT(d.recording->times_s, testing::ElementsAre(10, 11, 12));
  EXPECT_EQ(d.recording->raw_scan(0).points[0].x, 1);
  EXPECT_FALSE(read(kScans).recording);
}

TEST_F(DatasetFile, ASequenceRegistersEveryScanOntoTheOneBefore) {
  const Dataset d = read(std::string("kind = \"sequence\"\nscans = [\"0*.pcd\"]\n") + kTruth);
  ASSERT_EQ(d.frames.size(), 2u);
  EXPECT_FALSE(d.one_map);
  EXPECT_EQ(d.frames[0].name, "001");
  EXPECT_EQ(d.map(0).points[0].x, 1);
  EXPECT_EQ(d.map(1).points[0].x, 2);
  EXPECT_EQ(d.scan(1).points[0].x, 3);
  const Transform relative = *d.frames[1].truth;  // 10 m ahead of a pose turned by 0.1
  EXPECT_NEAR(translation_of(relative).x, 10 * std::cos(0.1), 1e-12);
  EXPECT_NEAR(translation_of(relative).y, -10 * std::sin(0.1), 1e-12);
}

TEST_F(DatasetFile, NoiseIsSeededAndAroundTheTruth) {
  const std::string guess = "[guess]\nkind = \"noise\"\nseed = 5\ncount = 4\nxy_sigma_m = 0.5\n";
  const Dataset a = read(std::string(kScans) + kTruth + guess),
                b = read(std::string(kScans) + kTruth + guess);
  ASSERT_EQ(a.frames[1].guesses.size(), 4u);
  EXPECT_EQ(a.frames[1].guesses[3].name, "guess3");
  for (int k = 0; k < 4; ++k) {
    const auto i = static_cast<std::size_t>(k);
    EXPECT_THAT(a.frames[1].guesses[i].map_from_scan.m,
                testing::ElementsAreArray(b.frames[1].guesses[i].map_from_scan.m));
    EXPECT_LT(translation_error_m(a.frames[1].guesses[i].map_from_scan, *a.frames[1].truth), 6 * 0.75);
  }
  EXPECT_GT(translation_error_m(a.frames[1].guesses[0].map_from_scan, a.frames[1].guesses[1].map_from_scan),
            1e-3);
}

TEST_F(DatasetFile, OdometryMovesThePreviousTruth) {
  const Dataset d =
      read(std::string(kScans) + kTruth + "[guess]\nkind = \"odometry\"\nfile = \"poses.tum\"\n");
  ASSERT_EQ(d.frames[2].guesses.size(), 1u);
  EXPECT_NEAR(translation_error_m(d.frames[2].guesses[0].map_from_scan, *d.frames[2].truth), 0, 1e-12)
      << "perfect odometry ends at the truth";
}

TEST_F(DatasetFile, WithoutTruthTheGuessIsTheIdentity) {
  const Dataset d = read(kScans);
  EXPECT_FALSE(d.frames[0].truth.has_value());
  EXPECT_EQ(translation_of(d.frames[0].guesses.at(0).map_from_scan).x, 0);
  EXPECT_EQ(d.truth.quality, "");
}

TEST_F(DatasetFile, FiltersActOnScanAndMapAndAreDescribed) {
  const Dataset d = read(std::string(kScans) + "[preparation.scan]\nmax_range_m = 10\nvoxel_leaf_m = 1\n");
  EXPECT_EQ(d.scan(0).size(), 1u);
  EXPECT_EQ(d.map(0).size(), 1u);
  EXPECT_EQ(d.preparation, "scan: range 0 to 10 m, voxel leaf 1 m; map: as it is");
}

TEST_F(DatasetFile, APairHasOneMatrixForItsTruth) {
  std::ofstream(path("T.txt")) << "1 0 0 7\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
  const Dataset d = read(
      "kind = \"pair\"\nmap = \"map.pcd\"\nscans = [\"000.pcd\"]\n"
      "[truth]\nfile = \"T.txt\"\nformat = \"matrix\"\nquality = \"published\"\n");
  EXPECT_EQ(translation_of(*d.frames.at(0).truth).x, 7);
  EXPECT_FALSE(d.truth.exact);
}

TEST_F(DatasetFile, ABrokenMatrixIsBadInput) {
  const std::string pair =
      "kind = \"pair\"\nmap = \"map.pcd\"\nscans = [\"000.pcd\"]\n"
      "[truth]\nfile = \"T.txt\"\nformat = \"matrix\"\nquality = \"published\"\n";
  const std::pair<std::string, std::string> kBroken[] = {
      {"nonsense", "T.txt: number 1 is 'nonsense'; give a finite decimal number"},
      {"0 0 0 0 0 0", "T.txt: 6 numbers; give a text file of the 16 numbers of a 4x4 matrix, row by row"},
      {"2 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1", "T.txt: not a rigid transform"},
      {std::string(70000, ' '), "T.txt: 70000 bytes, at most 65536 are read"}};
  for (const auto& [text, expected] : kBroken) {
    std::ofstream(path("T.txt")) << text;
    EXPECT_THAT(refusal_of(pair), HasSubstr(expected));
  }
  std::filesystem::remove(path("T.txt"));
  ASSERT_EQ(::mkfifo(path("T.txt").c_str(), 0600), 0);
  EXPECT_THAT(refusal_of(pair), HasSubstr("T.txt: is a FIFO (named pipe)"));
  std::filesystem::remove(path("T.txt"));
  std::filesystem::create_directory(path("T.txt"));
  EXPECT_THAT(refusal_of(pair), HasSubstr("T.txt: is a directory"));
}

TEST_F(DatasetFile, LinksThatLeadOutOfTheFolderAreRefusedUnread) {
  const TemporaryFolder elsewhere;
  std::ofstream(elsewhere.path() / "secret") << "root:x:0:0";
  const auto link = [&](const std::string& name, const std::filesystem::path& target) {
    std::filesystem::remove(path(name));
    std::filesystem::create_symlink(target, path(name));
  };
  for (const std::string name : {"map.pcd", "poses.tum", "001.pcd"}) {
    const auto kept = path("kept");
    std::filesystem::rename(path(name), kept);
    link(name, elsewhere.path() / "secret");
    const std::string refusal = refusal_of(std::string(kScans) + kTruth);
    EXPECT_THAT(refusal, HasSubstr("'" + name + "' is outside the dataset's folder"));
    EXPECT_THAT(refusal, testing::Not(HasSubstr("root")));
    std::filesystem::remove(path(name));
    std::filesystem::rename(kept, path(name));
  }
  link("folder", elsewhere.path());
  EXPECT_THAT(refusal_of("kind = \"sequence\"\nscans = [\"folder/*\"]\n"),
              HasSubstr("'folder/*' is outside the dataset's folder"));
  link("within.pcd", "map.pcd");
  EXPECT_EQ(refusal_of("kind = \"pair\"\nmap = \"within.pcd\"\nscans = [\"000.pcd\"]\n"), "");
}

TEST_F(DatasetFile, AMissingCloudIsSaidWhenItIsRead) {
  std::filesystem::remove(path("map.pcd"));
  const Dataset d = read(kScans);
  EXPECT_THAT(input_error_of([&] { d.map(0); }), HasSubstr("map.pcd"));
}

}  // namespace
}  // namespace ndt::harness
