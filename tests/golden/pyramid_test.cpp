// The oracle's twin of the pyramid against its own results of the day they were written down: nobody else's
// exist. NDT_WRITE_GOLDEN=file writes them anew, which is right only where the profile is meant to change.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compare.hpp"
#include "golden.hpp"
#include "registry/registry.hpp"

namespace ndt {
namespace {

using nlohmann::ordered_json;

// Compilers round differently by 1e-12 of a sum. A point that then gains or loses a voxel moves the end by
// some hundredths of a millimetre.
constexpr double kWithinM = 1e-4, kWithinDeg = 1e-3, kRelativeScore = 1e-5;

AlignResult align(const golden::Run& r) {
  AlignOptions options = AlignOptions::pyramid();
  options.resolution_m = r.options.resolution_m;
  const auto oracle = harness::find_implementation("cpu_pclomp_ref").make(options);
  oracle->set_map(*r.map);
  return oracle->align(*r.scan, r.guess);
}

ordered_json json_of(const golden::Run& r, const AlignResult& result) {
  ordered_json out;
  out["name"] = r.name;
  out["pose"] = result.map_from_scan.m;
  out["stop"] = to_string(result.stop);
  out["iterations"] = result.iterations;
  out["evaluations"] = result.evaluations;
  out["score"] = result.score;
  out["nvtl"] = result.nvtl;
  return out;
}

std::vector<golden::Run> near_runs() {
  std::vector<golden::Run> out;
  for (const golden::Run& r : golden::runs())
    if (!r.far_origin && !r.per_scan.regularisation) out.push_back(r);
  return out;
}

void write(const std::string& file) {
  ordered_json out;
  out["about"] = "Profile pyramid of cpu_pclomp_ref on the golden clouds; poses row-major 4x4 map_from_scan.";
  for (const golden::Run& r : near_runs()) out["runs"].push_back(json_of(r, align(r)));
  std::ofstream(file) << out.dump(0) << "\n";
}

TEST(PyramidGolden, TheTwinEndsWhereItDid) {
  if (const char* file = std::getenv("NDT_WRITE_GOLDEN"); file != nullptr) {
    write(file);
    GTEST_SKIP() << "wrote " << file;
  }
  const ordered_json golden = ordered_json::parse(std::ifstream(golden::find_file("pyramid.json")));
  std::map<std::string, ordered_json> by_name;
  for (const ordered_json& run : golden["runs"]) by_name[run["name"]] = run;
  compare::Worst metres, degrees;
  for (const golden::Run& r : near_runs()) {
    ASSERT_TRUE(by_name.contains(r.name)) << r.name;
    const ordered_json& expected = by_name[r.name];
    const AlignResult got = align(r);
    EXPECT_EQ(to_string(got.stop), expected["stop"].get<std::string>()) << r.name;
    EXPECT_EQ(got.iterations, expected["iterations"].get<int>()) << r.name;
    EXPECT_EQ(got.evaluations, expected["evaluations"].get<int>()) << r.name;
    EXPECT_LE(compare::relative(got.score, expected["score"]), kRelativeScore) << r.name;
    EXPECT_LE(compare::relative(got.nvtl, expected["nvtl"]), kRelativeScore) << r.name;
    Transform pose;
    for (std::size_t i = 0; i < 16; ++i) pose.m[i] = expected["pose"][i];
    metres.see(translation_error_m(got.map_from_scan, pose), r.name);
    degrees.see(compare::degrees(rotation_error_rad(got.map_from_scan, pose)), r.name);
  }
  metres.print("metres"), degrees.print("degrees");
  EXPECT_LE(metres.value, kWithinM) << metres.where;
  EXPECT_LE(degrees.value, kWithinDeg) << degrees.where;
}

}  // namespace
}  // namespace ndt
