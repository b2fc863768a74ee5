#include <gmock/gmock.h>

#include "cli/common/flags.hpp"

namespace ndt::harness {
namespace {

/// The shared options on a program of their own.
struct Flags {
  Flags() {
    add_align_flags(app, arguments);
    add_threads_flag(app, arguments);
    add_pose_flag(app, "--guess", guess);
  }
  void parse(const std::string& line) { app.parse(line); }

  CLI::App app{"test", "test"};
  AlignArguments arguments;
  PoseArgument guess;
};

TEST(CliOptions, LevelsAreOneWord) {
  Flags f;
  f.parse("--profile pyramid --levels 6,2.5,1 --negative-curvature 0.4 --coarse-stride 4");
  const AlignOptions o = resolve(f.arguments);
  EXPECT_EQ(o.levels, (Levels{6, 2.5, 1}));
  EXPECT_EQ(o.negative_curvature, 0.4);
  EXPECT_EQ(o.coarse_stride, 4);
  for (const char* levels : {"six", "6,2.5,", "5,4,3,2,1"})
    EXPECT_THROW(Flags().parse(std::string("--levels ") + levels), std::exception) << levels;
}

TEST(CliOptions, APoseMayBeOneWordOrMany) {
  for (const char* line :
       {"--guess -1,2,3,0,0,0", "--guess -1 2 3 0 0 0", "--guess \"-1 2 3 0 0 0\"",
        "--guess -1, 2, 3, 0, 0, 0", "--guess=-1,2,3,0,0,0", "--guess -1,2 3,0,0 0 --step 0.2",
        "--guess-ros -1,2,3,0,0,0,1", "--guess-ros -1 2 3 0 0 0 1 --step 0.2"}) {
    Flags f;
    f.parse(line);
    const Vec3<double> t = translation_of(pose_from(f.guess, "--guess"));
    EXPECT_TRUE(t.x == -1 && t.y == 2 && t.z == 3) << line;
  }
}

TEST(CliOptions, NoPoseIsTheIdentity) {
  EXPECT_THAT(pose_from({}, "--guess").m, testing::ElementsAreArray(Transform{}.m));
}

TEST(CliOptions, ANumberThatIsNoneIsRefused) {
  EXPECT_THROW(Flags().parse("--resolution two"), CLI::ParseError);
  EXPECT_THROW(Flags().parse("--max-iterations 2.5"), CLI::ParseError);
  EXPECT_THROW(Flags().parse("--threads"), CLI::ParseError);
  EXPECT_THROW(Flags().parse("--resolutoin 2"), CLI::ParseError);
}

}  // namespace
}  // namespace ndt::harness
