#include "run/run_folder.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/environment.hpp"
#include "ndt/io/output_file.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

class RunFolders : public ScratchFiles {
 protected:
  RunFolders() : ScratchFiles("run/results.jsonl") {}
  std::filesystem::path folder() const { return path("run"); }
  static Plan plan() {
    Plan plan;
    plan.run_id = "id";
    return plan;
  }
  static Measurement measurement(const std::string& frame, Failure failure = Failure::none) {
    Measurement measurement;
    measurement.run_id = "id";
    measurement.frame = frame;
    measurement.failure = failure;
    measurement.error = failure == Failure::none ? "" : "why";
    return measurement;
  }
};

TEST_F(RunFolders, MeasurementsAreThereAsSoonAsTheyAreAppended) {
  RunFolder run = RunFolder::begin(folder(), plan(), "command");
  EXPECT_FALSE(run.done(measurement("a")));
  run.append(measurement("a"));
  EXPECT_TRUE(run.done(measurement("a")));
  EXPECT_EQ(written(), to_json_line(measurement("a")) + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder() / "plan.json"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "environment.json"));
}

TEST_F(RunFolders, AResumedRunKeepsItsMeasurementsButForTornAndKilledOnes) {
  {
    RunFolder run = RunFolder::begin(folder(), plan(), "command");
    run.append(measurement("a"));
    run.append(measurement("b", Failure::crash));
    run.append(measurement("c", Failure::exception));
    run.append(measurement("d", Failure::timeout));
    run.append(measurement("e", Failure::memory));
    EXPECT_EQ(run.failed_measurements(), 4u);
    std::ofstream(path(), std::ios::app) << to_json_line(measurement("torn")).substr(0, 40);
  }
  RunFolder run = RunFolder::resume(folder());
  EXPECT_TRUE(run.done(measurement("a")) && run.done(measurement("c")));
  EXPECT_FALSE(run.done(measurement("b")) || run.done(measurement("d")) || run.done(measurement("e")) ||
               run.done(measurement("torn")));
  EXPECT_EQ(run.measurements(), 2u);
  EXPECT_EQ(run.failed_measurements(), 1u);
  run.append(measurement("b"));
  EXPECT_EQ(written(), to_json_line(measurement("a")) + "\n" +
                           to_json_line(measurement("c", Failure::exception)) + "\n" +
                           to_json_line(measurement("b")) + "\n");
}

TEST_F(RunFolders, AFolderHoldsOneRun) {
  { RunFolder::begin(folder(), plan(), "command"); }
  EXPECT_THAT(input_error_of([&] { RunFolder::begin(folder(), plan(), "command"); }),
              HasSubstr("contains a run already"));
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(path("none")); }), HasSubstr("there is no such file"));
}

TEST_F(RunFolders, WithoutTheLockNothingIsWritten) {
  make_folder(folder());
  {
    const LockFile other(folder() / "run.lock");
    EXPECT_THAT(input_error_of([&] { RunFolder::begin(folder(), plan(), "command"); }),
                HasSubstr("another process writes to it"));
    EXPECT_FALSE(std::filesystem::exists(folder() / "plan.json"));
    EXPECT_FALSE(std::filesystem::exists(folder() / "environment.json"));
  }
  RunFolder::begin(folder(), plan(), "command").append(measurement("a"));
  const std::string before = written() + "torn";
  put(before);
  const LockFile other(folder() / "run.lock");
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }),
              HasSubstr("another process writes to it"));
  EXPECT_EQ(written(), before);
}

TEST_F(RunFolders, MeasurementsOfAnotherProgramOrMachineAreNotMixedIn) {
  { RunFolder::begin(folder(), plan(), "command"); }
  std::ifstream in(folder() / "environment.json");
  auto environment = nlohmann::ordered_json::parse(in);  // GPUs are compared as they stand there
  environment["cpu_model"] = "abacus";
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }),
              HasSubstr("begun with another processor"));
  environment["cpu_model"] = cpu_model();
  environment["cores"] = core_count() + 1;
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }),
              HasSubstr("begun with another number of cores"));
  environment["cores"] = core_count();
  const auto machine = environment["machine"];
  environment["machine"] = "another";
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }), HasSubstr("begun with another machine"));
  environment.erase("machine");
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_NO_THROW(RunFolder::resume(folder())) << "of an earlier program";
  environment["merged_from"] = {"a", "b"};
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }), HasSubstr("begun with another machine"));
  environment["machine"] = machine;
  environment["cuda"]["devices"].push_back({{"name", "one more"}});
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }), HasSubstr("begun with another GPU"));
}

TEST_F(RunFolders, ANestedEnvironmentIsRefused) {
  { RunFolder::begin(folder(), plan(), "command"); }
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  write_text(folder() / "environment.json", "{\"cuda\": {\"devices\": " + deep + "}}");
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }), HasSubstr("is nested too deeply"));
}

TEST_F(RunFolders, ADamagedMeasurementStopsTheResumptionWithItsLine) {
  {
    RunFolder run = RunFolder::begin(folder(), plan(), "command");
    run.append(measurement("a"));
    std::ofstream(path(), std::ios::app) << "{}\n";
  }
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }), HasSubstr("results.jsonl: line 2"));
}

}  // namespace
}  // namespace ndt::harness
