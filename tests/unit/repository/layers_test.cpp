// The repository's includes against its layering; and the checker itself against files made up to break every
// rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "include_graph.hpp"

namespace ndt::repository {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Files read_repository() {
  const fs::path root = NDT_SOURCE_DIR;
  Files files;
  for (const char* folder : {"modules", "harness", "examples", "tests"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string ending = entry.path().extension().string();
      const bool code =
          ending == ".hpp" || ending == ".cpp" || ending == ".cu" || ending == ".cuh" || ending == ".h";
      if (!code && entry.path().filename() != "CMakeLists.txt") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      // A folder of examples/ is a module that somebody may copy to modules/, so the rules for modules hold
      // for it.
      std::string path = entry.path().lexically_relative(root).generic_string();
      if (path.starts_with("examples/") && std::ranges::count(path, '/') > 1) path.replace(0, 8, "modules");
      files[path] = text.str();
    }
  return files;
}

TEST(Layers, NoUnitOfTheRepositoryIncludesItselfThroughOthers) {
  EXPECT_THAT(IncludeGraph(read_repository()).cycles(), IsEmpty());
}

TEST(Layers, EveryIncludeOfTheRepositoryIsAnArrowOfTheDesign) {
  const Files files = read_repository();
  const IncludeGraph graph(files);
  EXPECT_GT(files.size(), 80U) << "the repository was not found at " NDT_SOURCE_DIR;
  EXPECT_GT(graph.include_count(), 300U);
  EXPECT_THAT(graph.violations(), IsEmpty());
}

/// A small copy of common, the modules and the harness.
Files small_repository() {
  return {
      {"modules/common/CMakeLists.txt", ""},
      {"modules/cpu_pclomp_ref/CMakeLists.txt", ""},
      {"modules/gpu_persistent/CMakeLists.txt", ""},
      {"modules/initial_pose/CMakeLists.txt", ""},
      {"modules/localization/CMakeLists.txt", ""},
      {"modules/common/include/ndt/core/pose.hpp", "#pragma once\n#include <cmath>\n"},
      {"modules/common/include/ndt/align/aligner.hpp", "#include \"ndt/core/pose.hpp\"\n"},
      {"modules/common/include/ndt/exec/team.hpp", "#include \"ndt/core/pose.hpp\"\n"},
      {"modules/common/include/ndt/cuda/stream.cuh",
       "#include <cuda_runtime.h>\n#include \"ndt/core/pose.hpp\"\n"},
      {"modules/common/include/ndt/exec/grid_team.cuh",
       "#include <cooperative_groups.h>\n#include \"ndt/cuda/stream.cuh\"\n"},
      {"modules/common/include/ndt/voxel/voxel.hpp",
       "#include \"ndt/exec/team.hpp\"\n#include \"ndt/align/aligner.hpp\"\n"},
      {"modules/common/include/ndt/score/score.hpp", "#include \"ndt/voxel/voxel.hpp\"\n"},
      {"modules/common/include/ndt/solve/newton.hpp", "#include \"ndt/score/score.hpp\"\n"},
      {"modules/common/src/voxel.cpp", "#include \"ndt/voxel/voxel.hpp\"\n#include <fmt/format.h>\n"},
      {"modules/cpu_pclomp_ref/include/ndt/cpu_pclomp_ref/aligner.hpp",
       "#include \"ndt/align/aligner.hpp\"\n"},
      {"modules/cpu_pclomp_ref/src/grid.hpp", "#include <Eigen/Core>\n#include \"ndt/core/pose.hpp\"\n"},
      {"modules/cpu_pclomp_ref/src/aligner.cpp",
       "#include \"ndt/cpu_pclomp_ref/aligner.hpp\"\n#include \"grid.hpp\"\n"},
      {"modules/gpu_persistent/include/ndt/gpu_persistent/aligner.hpp",
       "#include \"ndt/align/aligner.hpp\"\n"},
      {"modules/gpu_persistent/src/body.hpp", "#include \"ndt/solve/newton.hpp\"\n"},
      {"modules/gpu_persistent/src/cuda.cu", "#include \"body.hpp\"\n#include \"ndt/exec/grid_team.cuh\"\n"},
      {"modules/common/bench/bench.cu",
       "#include <cuda_runtime.h>\n#include \"ndt/gpu_persistent/aligner.hpp\"\n"},
      {"modules/common/include/ndt/cuda/device.hpp", "#include <string>\n"},
      {"modules/common/include/ndt/edge/loop_aligner.hpp", "#include \"ndt/solve/newton.hpp\"\n"},
      {"modules/initial_pose/include/ndt/initial_pose/search.hpp", "#include \"ndt/align/aligner.hpp\"\n"},
      {"modules/localization/include/ndt/localization/localizer.hpp",
       "#include \"ndt/initial_pose/search.hpp\"\n"},
      {"harness/base/json.hpp", "#include <nlohmann/json.hpp>\n#include \"ndt/cuda/device.hpp\"\n"},
      {"harness/base/json.cpp", "#include \"base/json.hpp\"\n#include \"commit.hpp\"\n"},
      {"harness/io/pcd.hpp", "#include \"base/json.hpp\"\n"},
      {"harness/town/town.hpp", "#include \"io/pcd.hpp\"\n"},
      {"harness/data/dataset.hpp", "#include \"town/town.hpp\"\n"},
      {"harness/registry/registry.hpp",
       "#include \"data/dataset.hpp\"\n#include \"ndt/gpu_persistent/aligner.hpp\"\n"},
      {"harness/run/plan.hpp", "#include \"registry/registry.hpp\"\n#include \"ndt/align/aligner.hpp\"\n"},
      {"harness/localize/records.hpp",
       "#include \"registry/registry.hpp\"\n#include \"ndt/localization/localizer.hpp\"\n"},
      {"harness/cli/table.hpp", "#include \"run/plan.hpp\"\n#include \"localize/records.hpp\"\n"},
      {"harness/microbench/microbench.cpp", "#include \"run/plan.hpp\"\n"},
      {"tests/support/test_clouds.hpp", "#include \"cli/table.hpp\"\n"},
      {"tests/gpu/body_test.cu", "#include \"body.hpp\"\n"},
      {"tests/unit/cpu_pclomp_ref/grid_test.cpp", "#include \"grid.hpp\"\n#include \"test_clouds.hpp\"\n"}};
}

TEST(LayersChecker, AcceptsASmallRepositoryThatUsesEveryArrow) {
  EXPECT_THAT(IncludeGraph(small_repository()).violations(), IsEmpty());
}

struct Offence {
  const char* file;
  const char* include;
  const char* why;
};

TEST(LayersChecker, RefusesEveryArrowThatIsNotInTheDesign) {
  const Offence offences[] = {
      {"modules/common/include/ndt/core/pose2.hpp", "\"ndt/align/aligner.hpp\"", "core/ may not know align/"},
      {"modules/common/include/ndt/core/pose2.hpp", "\"ndt/exec/team.hpp\"", "core/ may not know exec/"},
      {"modules/common/include/ndt/exec/team2.hpp", "\"ndt/voxel/voxel.hpp\"", "exec/ may not know voxel/"},
      {"modules/common/include/ndt/exec/team2.hpp", "\"ndt/align/aligner.hpp\"", "exec/ may not know align/"},
      {"modules/common/include/ndt/align/aligner2.hpp", "\"ndt/voxel/voxel.hpp\"",
       "align/ may not know voxel/"},
      {"modules/common/include/ndt/align/aligner2.hpp", "\"ndt/exec/team.hpp\"", "align/ may not know exec/"},
      {"modules/common/include/ndt/voxel/voxel2.hpp", "\"ndt/score/score.hpp\"",
       "voxel/ may not know score/"},
      {"modules/common/include/ndt/score/score2.hpp", "\"ndt/solve/newton.hpp\"",
       "score/ may not know solve/"},
      {"modules/common/include/ndt/solve/newton2.hpp", "\"ndt/edge/loop_aligner.hpp\"",
       "solve/ may not know edge/"},
      {"modules/common/include/ndt/voxel/voxel2.hpp", "\"ndt/cuda/device.hpp\"", "voxel/ may not know cuda/"},
      {"modules/common/include/ndt/cuda/device2.hpp", "<cuda_runtime.h>", "CUDA stays in .cuh and .cu"},
      {"modules/common/include/ndt/cuda/buffer.cuh", "\"ndt/voxel/voxel.hpp\"", "cuda/ may not know voxel/"},
      {"modules/common/src/voxel.cpp", "\"ndt/solve/newton.hpp\"", "voxel/ may not know solve/"},
      {"modules/common/src/voxel.cpp", "\"ndt/cuda/stream.cuh\"", "device code is for .cu and .cuh files"},
      {"modules/common/src/voxel.cpp", "\"ndt/exec/grid_team.cuh\"", "device code is for .cu and .cuh files"},
      {"modules/common/src/voxel.cpp", "\"run/plan.hpp\"", "common may not know harness"},
      {"modules/common/src/voxel.cpp", "\"ndt/gpu_persistent/aligner.hpp\"",
       "common may not know gpu_persistent"},
      {"modules/common/src/nameless.cpp", "<cmath>", "no header of common has the name of this source"},
      {"modules/common/include/ndt/extra/thing.hpp", "<cmath>", "common has no layer extra"},
      {"modules/cpu_pclomp_ref/src/aligner.cpp", "\"ndt/voxel/voxel.hpp\"", "only core/ and align/"},
      {"modules/cpu_pclomp_ref/src/aligner.cpp", "\"ndt/solve/newton.hpp\"", "only core/ and align/"},
      {"modules/cpu_pclomp_ref/src/aligner.cpp", "\"ndt/exec/team.hpp\"", "only core/ and align/"},
      {"modules/cpu_pclomp_ref/src/aligner.cpp", "<ndt/score/score.hpp>", "only core/ and align/"},
      {"modules/gpu_persistent/src/cpu.cpp", "\"ndt/cpu_pclomp_ref/aligner.hpp\"",
       "gpu_persistent may not know cpu_pclomp_ref"},
      {"modules/gpu_persistent/src/cpu.cpp", "\"../../cpu_pclomp_ref/src/grid.hpp\"",
       "gpu_persistent may not know cpu_pclomp_ref"},
      {"modules/gpu_persistent/src/cpu.cpp", "\"../../common/src/private.hpp\"", "it is private to common"},
      {"modules/gpu_persistent/src/cpu.cpp", "\"run/plan.hpp\"", "gpu_persistent may not know harness"},
      {"modules/gpu_persistent/src/cpu.cpp", "\"../../../tests/support/test_clouds.hpp\"",
       "gpu_persistent may not know tests"},
      {"modules/gpu_persistent/src/cpu.cpp", "\"grid.hpp\"", "there is no such header here"},
      {"modules/gpu_persistent/src/cpu.cpp", "\"ndt/core/gone.hpp\"", "there is no such public header"},
      {"modules/gpu_persistent/src/cpu.cpp", "<cuda_runtime.h>", "CUDA stays in .cuh and .cu"},
      {"modules/initial_pose/src/search.cpp", "\"ndt/localization/localizer.hpp\"",
       "initial_pose may not know localization"},
      {"modules/localization/src/localizer.cpp", "\"ndt/gpu_persistent/aligner.hpp\"",
       "localization may not know gpu_persistent"},
      {"harness/run/run.cpp", "\"localize/records.hpp\"", "run/ may not know localize/"},
      {"harness/localize/run.cpp", "\"run/plan.hpp\"", "localize/ may not know run/"},
      {"modules/unheard_of/src/a.cpp", "\"ndt/core/pose.hpp\"", "the layering says nothing about unheard_of"},
      {"harness/attic/a.cpp", "\"base/json.hpp\"", "harness has no wing attic"},
      {"harness/a.cpp", "<cmath>", "harness has no wing a.cpp"},
      {"harness/run/run.cpp", "\"../../modules/gpu_persistent/src/body.hpp\"",
       "it is private to gpu_persistent"},
      {"harness/run/run.cpp", "\"../../tests/support/test_clouds.hpp\"", "harness may not know tests"},
      {"harness/run/run.cpp", "<cub/cub.cuh>", "CUDA stays in .cuh and .cu"},
      {"tests/conformance/a_test.cpp", "\"../../modules/cpu_pclomp_ref/src/grid.hpp\"",
       "it is private to cpu_pclomp_ref"},
      {"tests/unit/gpu_persistent/a_test.cpp", "\"grid.hpp\"", "there is no such header here"},
      {"tests/gpu/a_test.cu", "\"../../modules/cpu_pclomp_ref/src/empty.hpp\"",
       "it is private to cpu_pclomp_ref"},
      {"modules/common/include/ndt/core/pose2.hpp", "<Eigen/Core>", "public headers stay free of it"},
      {"modules/common/include/ndt/core/pose2.hpp", "<fmt/format.h>", "public headers stay free of it"},
      {"modules/common/include/ndt/core/pose2.hpp", "<nlohmann/json.hpp>", "public headers stay free of it"},
      {"modules/common/include/ndt/voxel/voxel2.hpp", "<pcl/point_cloud.h>",
       "public headers stay free of it"},
      {"modules/common/include/ndt/voxel/voxel2.hpp", "<cuda_runtime.h>", "CUDA stays in .cuh and .cu"},
      {"modules/gpu_persistent/src/cuda.cu", "<Eigen/Core>", "nvcc would read it"},
      {"modules/gpu_persistent/src/cuda.cu", "<fmt/format.h>", "nvcc would read it"},
      {"modules/gpu_persistent/src/cuda.cu", "<toml++/toml.h>", "nvcc would read it"},
      {"modules/gpu_persistent/src/cuda.cu", "<nlohmann/json.hpp>", "nvcc would read it"},
  };
  for (const Offence& offence : offences) {
    Files files = small_repository();
    files["modules/common/src/private.hpp"] = "";
    files["modules/cpu_pclomp_ref/src/empty.hpp"] = "";
    files[offence.file] = std::string("// a comment on line 1\n#include ") + offence.include + "\n";
    const std::string where = std::string(offence.file) + ":2: includes ";
    EXPECT_THAT(IncludeGraph(files).violations(),
                ElementsAre(AllOf(StartsWith(where), HasSubstr(offence.why))))
        << offence.file << " with " << offence.include;
  }
}

TEST(LayersChecker, LetsAWingOfTheHarnessKnowOnlyTheWingsBelowIt) {
  struct Wing {
    std::string name, header;
  };
  const std::vector<Wing> up = {
      {"base", "json.hpp"},         {"io", "pcd.hpp"},   {"town", "town.hpp"}, {"data", "dataset.hpp"},
      {"registry", "registry.hpp"}, {"run", "plan.hpp"}, {"cli", "table.hpp"}};
  const Wing microbench{"microbench", "clouds.hpp"};
  Files files = small_repository();
  files["harness/microbench/clouds.hpp"] = "";
  const auto refuses = [&](const Wing& from, const Wing& to) {
    Files more = files;
    more["harness/" + from.name + "/a.cpp"] = "#include \"" + to.name + "/" + to.header + "\"\n";
    EXPECT_THAT(IncludeGraph(more).violations(),
                ElementsAre(HasSubstr(from.name + "/ may not know " + to.name + "/")));
  };
  for (auto from = up.begin(); from != up.end(); ++from) {
    for (auto to = from + 1; to != up.end(); ++to) refuses(*from, *to);
    refuses(*from, microbench);
  }
  refuses(microbench, up.back());
}

TEST(LayersChecker, FollowsDeviceCodeThroughOurOwnHeaders) {
  Files files = small_repository();
  files["modules/gpu_persistent/src/body.hpp"] = "#include \"sums.hpp\"\n";
  files["modules/gpu_persistent/src/sums.hpp"] = "#include <Eigen/Core>\n";
  files.erase("tests/gpu/body_test.cu");  // reaches it as well
  EXPECT_THAT(
      IncludeGraph(files).violations(),
      ElementsAre(AllOf(
          StartsWith("modules/gpu_persistent/src/sums.hpp:1: includes Eigen/Core"),
          HasSubstr(
              "cuda.cu -> modules/gpu_persistent/src/body.hpp -> modules/gpu_persistent/src/sums.hpp"))));
}

TEST(LayersChecker, SurvivesHeadersThatIncludeEachOther) {
  Files files = small_repository();
  files["modules/gpu_persistent/src/body.hpp"] = "#include \"other.hpp\"\n";
  files["modules/gpu_persistent/src/other.hpp"] = "#include \"body.hpp\"\n";
  EXPECT_THAT(IncludeGraph(files).violations(), IsEmpty());
}

TEST(LayersChecker, NamesTheUnitsOfACycle) {
  Files files = small_repository();
  EXPECT_THAT(IncludeGraph(files).cycles(), IsEmpty());
  files["harness/io/cloud.hpp"] = "";
  files["harness/io/cloud.cpp"] = "#include \"io/cloud.hpp\"\n#include \"io/pcd.hpp\"\n";
  files["harness/io/pcd.cpp"] = "#include \"io/pcd.hpp\"\n#include \"io/cloud.hpp\"\n";
  EXPECT_THAT(IncludeGraph(files).cycles(),
              ElementsAre("harness/io/pcd -> harness/io/cloud -> harness/io/pcd"))
      << "though no header includes another";
}

TEST(LayersChecker, ReadsAModuleFromItsCMakeLists) {
  Files files = small_repository();
  files["modules/gpu_new/src/cpu.cpp"] = "#include \"ndt/core/pose.hpp\"\n";
  EXPECT_THAT(IncludeGraph(files).violations(),
              ElementsAre(HasSubstr("the layering says nothing about gpu_new")));
  files["modules/gpu_new/CMakeLists.txt"] = "";
  EXPECT_THAT(IncludeGraph(files).violations(), IsEmpty());
}

TEST(LayersChecker, ReadsDirectivesAndNothingElse) {
  const std::vector<Include> found = includes_of(
      "#include <a>\n"
      "  #  include \"b/c.hpp\"  // why\n"
      "// #include <no>\n"
      "/* #include <no>\n"
      "#include <no>\n"
      "*/ #include <d>\n"
      "const char* text = \"#include <no>\";\n"
      "#define include_this\n"
      "#include\t\"e\"\r\n");
  std::vector<std::string> got;
  for (const Include& i : found)
    got.push_back(std::to_string(i.line) + (i.quoted ? " quoted " : " angle ") + i.path);
  EXPECT_THAT(got, ElementsAre("1 angle a", "2 quoted b/c.hpp", "6 angle d", "9 quoted e"));
}

}  // namespace
}  // namespace ndt::repository
