#include "data/density.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/errors.hpp"
#include "data/courtyard.hpp"
#include "data/load_dataset.hpp"
#include "ndt/io/cloud_file.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

constexpr std::size_t kRawPoints = 20000;

/// A dataset of one dense scan, thinned to 1 m beyond 3 m.
class Density : public ScratchFiles {
 protected:
  Density() : ScratchFiles("dataset.toml") {
    write_pcd(path("scan.pcd"), courtyard_scan(kRawPoints));
    describe("");
  }
  void describe(const std::string& more) {
    put("format = 1\nname = 'room'\ndescription = 'd'\nkind = 'scan_to_map'\nmap = 'scan.pcd'\nscans = "
        "['scan.pcd']\n" +
        more + "[preparation.scan]\nmin_range_m = 3\nvoxel_leaf_m = 1.0\n");
  }
  Dataset at(const std::string& density) { return load_dataset(path().parent_path().string() + density); }
  std::string refusal_at(const std::string& density) {
    return input_error_of([&] { at(density); });
  }
};

bool beyond_3_m(const Point& p) { return dot(cast<double>(p), cast<double>(p)) >= 9; }

TEST_F(Density, ANameMayEndWithTheDensityOfItsScans) {
  EXPECT_EQ(density_of(at("")), "1 m");
  const std::size_t own = at("").scan(0).size();
  for (const auto& [name, label] :
       {std::pair{"@0.5m", "0.5 m"}, {"@1m", "1 m"}, {"@5000", "5,000 random"}, {"@raw", "raw"}}) {
    const Dataset d = at(name);
    EXPECT_EQ(d.name, std::string("room") + name);
    EXPECT_EQ(density_of(d), label);
    EXPECT_TRUE(std::ranges::all_of(d.scan(0).points, beyond_3_m)) << "the other filters stay: " << name;
  }
  EXPECT_EQ(at("@1m").scan(0).size(), own);
  EXPECT_GT(at("@0.5m").scan(0).size(), own * 3 / 2);
  EXPECT_EQ(at("@5000").scan(0).size(), 5000u);
  EXPECT_TRUE(same_bits(at("@5000").scan(0).points, at("@5000").scan(0).points));
  const auto raw = courtyard_scan(kRawPoints).points;
  EXPECT_EQ(at("@raw").scan(0).size(), static_cast<std::size_t>(std::ranges::count_if(raw, beyond_3_m)));
  EXPECT_EQ(at("@0.5m").preparation, "scan: range 3 to inf m, voxel leaf 0.5 m; map: as it is");
}

TEST_F(Density, NoLabelPromisesPointsThatTheFilesLack) {
  EXPECT_THAT(refusal_at("@500000"), HasSubstr("room@500000: scan scan has"));
  EXPECT_THAT(refusal_at("@0.01m"),
              HasSubstr("% of its points, so its files are as sparse; take a larger leaf"));
  describe("scan_density = '0.1 m'\n");
  EXPECT_THAT(refusal_at("@raw"), HasSubstr("room has no raw scans: they are '0.1 m'; leave out @raw"));
  EXPECT_EQ(density_of(at("")), "1 m");
}

TEST_F(Density, UnthinnedScansAreAsDenseAsTheirFilesSay) {
  const std::string unthinned =
      "format = 1\nname = 'r'\ndescription = 'd'\nkind = 'pair'\nmap = 'scan.pcd'\nscans = ['scan.pcd']\n";
  put(unthinned);
  EXPECT_EQ(density_of(at("")), "raw");
  put(unthinned + "scan_density = 'as published'\n");
  EXPECT_EQ(density_of(at("")), "as published");
  EXPECT_EQ(density_of(at("@0.5m")), "0.5 m");
}

TEST(DensityOfNames, ScansMadeInMemoryAreThinnedToo) {
  EXPECT_EQ(density_of(load_dataset("courtyard")), "as made");
  const Dataset d = load_dataset("courtyard@1m");
  EXPECT_EQ(density_of(d), "1 m");
  EXPECT_LT(d.scan(0).size(), 2500u);
  EXPECT_THROW(load_dataset("courtyard@raw"), InputError);
}

TEST(DensityOfNames, WhatIsNoDensityIsPartOfTheName) {
  EXPECT_EQ(name_and_density("a@b/c").dataset, "a@b/c");
  EXPECT_EQ(name_and_density("a@b/c@0.25m").dataset, "a@b/c");
  EXPECT_EQ(name_and_density("a@b/c@0.25m").density, "0.25m");
  for (const char* wrong :
       {"", "m", "0m", "-1m", "0", "-5", "1.5", "1 m", "2000m", "nanm", "1.0m", "05", "RAW"})
    EXPECT_FALSE(is_density(wrong)) << wrong;
  EXPECT_TRUE(is_dataset_path("mine.toml@0.25m"));
  EXPECT_THAT([] { load_dataset("courtyart@1m"); },
              testing::ThrowsMessage<UsageError>(HasSubstr("did you mean 'courtyard'?")));
}

}  // namespace
}  // namespace ndt::harness
