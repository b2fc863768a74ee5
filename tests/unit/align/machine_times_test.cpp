#include "ndt/machine_times.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "ndt/core/error.hpp"
#include "ndt/implementations.hpp"
#include "temporary_folder.hpp"

namespace ndt {
namespace {

using testing::HasSubstr;
using testing::Throws;

std::string no_reason() { return ""; }
std::string no_gpu() { return "no GPU"; }

Implementation entry(std::string_view name, std::string (*reason)() = no_reason) {
  Implementation made;
  made.name = name;
  made.unavailable_reason = reason;
  return made;
}

/// "cpu" is best with little work, "gpu" with much; "other" is a tenth better than "cpu" with 1,000 points.
class ChoiceByTimes : public testing::Test {
 protected:
  ChoiceByTimes() {
    table_[1].on_device = true;
    table_[3].not_for_use = true;
  }

  std::string_view taken(std::size_t points, std::size_t poses, const MayTake& may = {}) const {
    return faster_than(&table_[0], table_, times_, {points, poses}, may)->name;
  }

  std::vector<Implementation> table_{entry("cpu"), entry("gpu"), entry("other"), entry("study")};
  std::vector<MachineTime> times_{
      {1000, 1, "cpu", 100},    {1000, 1, "gpu", 200},   {1000, 1, "other", 91}, {1000, 1, "study", 1},
      {4000, 1, "cpu", 400},    {4000, 1, "gpu", 210},   {64000, 1, "gpu", 800}, {64000, 1, "cpu", 6400},
      {1000, 100, "cpu", 9000}, {1000, 100, "gpu", 300}, {1000, 100, "away", 1},
  };
};

TEST_F(ChoiceByTimes, GoesToTheOtherHalfWayBetweenTwoSizesInRatio) {
  EXPECT_EQ(taken(1, 1), "cpu") << "below all that was measured";
  EXPECT_EQ(taken(0, 0), "cpu");
  EXPECT_EQ(taken(1000, 1), "cpu");
  EXPECT_EQ(taken(1999, 1), "cpu");
  EXPECT_EQ(taken(2001, 1), "gpu");
  EXPECT_EQ(taken(64000, 1), "gpu");
  EXPECT_EQ(taken(100000000, 1), "gpu") << "above all that was measured";
}

TEST_F(ChoiceByTimes, LooksAtTheNearestBatchFirst) {
  EXPECT_EQ(taken(1000, 9), "cpu");
  EXPECT_EQ(taken(1000, 11), "gpu");
  EXPECT_EQ(taken(1, 100000), "gpu");
}

TEST_F(ChoiceByTimes, StaysWithTheUsualOneForLessThanATenth) {
  EXPECT_EQ(taken(1000, 1), "cpu");
  times_[2].us = 89;
  EXPECT_EQ(taken(1000, 1), "other");
}

TEST_F(ChoiceByTimes, PassesOverWhatCannotRunOrMayNotBeTaken) {
  EXPECT_EQ(taken(64000, 1, [](const Implementation& entry) { return entry.name != "gpu"; }), "cpu");
  table_[1].unavailable_reason = no_gpu;
  EXPECT_EQ(taken(64000, 1), "cpu") << "the times name one that cannot run any more";
  EXPECT_EQ(taken(1000, 1), "cpu") << "a study is never taken";
}

TEST_F(ChoiceByTimes, OfCloudsOnADeviceTakesWhatReadsThem) {
  EXPECT_EQ(faster_than(&table_[1], table_, times_, {1000, 1, true})->name, "gpu");
}

TEST_F(ChoiceByTimes, WithoutTimesIsTheUsualOne) {
  EXPECT_EQ(faster_than(&table_[2], table_, {}, {})->name, "other");
  EXPECT_EQ(faster_than(nullptr, table_, {}, {}), nullptr);
  EXPECT_EQ(faster_than(nullptr, table_, times_, {64000, 1})->name, "gpu");
}

MachineTimes times_of_this_machine() {
  return {this_machine(),
          "2026-11-26T06:00:00Z",
          {{1000, 1, "multikernel_cpu", 12.25}, {1000, 1, "persistent_cpu", 100}}};
}

TEST(MachineTimesText, ComesBackAsItWent) {
  MachineTimes all = times_of_this_machine();
  all.machine.gpu = "a \"GPU\"\n";
  const MachineTimes back = machine_times_from_json(to_json(all));
  EXPECT_EQ(back.machine, all.machine);
  EXPECT_EQ(back.measured_at, all.measured_at);
  EXPECT_EQ(back.times, all.times);
}

TEST(MachineTimesText, OfAnotherKindIsRefused) {
  const std::string good = to_json(times_of_this_machine());
  EXPECT_NO_THROW(machine_times_from_json(good));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"points\": 1000", "\"points\": -1000"},
                                                        {"\"points\": 1000", "\"points\": 0"},
                                                        {"\"points\": 1000", "\"points\": 10.5"},
                                                        {"\"us\": 12.25", "\"us\": 0"},
                                                        {"\"us\": 12.25", "\"us\": 1e999"},
                                                        {"\"us\": 12.25", "\"us\": null"},
                                                        {"\"poses\"", "\"posed\""},
                                                        {"\"cpu\"", "\"cpus\""},
                                                        {"\"times\": [", "\"times\": [7,"},
                                                        {"2026", "\xff"}}) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    EXPECT_THAT([&] { machine_times_from_json(text); }, Throws<InputError>()) << text;
  }
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{}"), std::string("7"),
                                  good.substr(0, good.size() / 2), std::string(100000, '[')})
    EXPECT_THAT([&] { machine_times_from_json(text); }, Throws<InputError>()) << text.substr(0, 80);
}

/// A variable of the environment while this lives; an empty one is as none.
class Variable {
 public:
  Variable(const char* name, const std::filesystem::path& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

/// The folder for what is kept is a temporary one.
class KeptTimesTest : public testing::Test {
 protected:
  static void keep(const std::string& text) { std::ofstream(machine_times_file()) << text; }
  static std::string_view chosen(const AlignOptions& options = {}) {
    return auto_implementation({}, options).name;
  }

  harness::TemporaryFolder folder_;
  Variable cache_{"NDT_CACHE", folder_.path()};
  Variable file_{"NDT_AUTO_TIMES", ""};
  std::string_view usual_ = fastest(implementations())->name;
};

TEST_F(KeptTimesTest, OfThisMachineDecide) {
  EXPECT_EQ(kept_times().why_not, "nothing was measured on this machine");
  EXPECT_EQ(chosen(), usual_);
  keep(to_json(times_of_this_machine()));
  EXPECT_EQ(kept_times().why_not, "");
  EXPECT_EQ(chosen(), "multikernel_cpu");
}

TEST_F(KeptTimesTest, LieInTheFileThatIsNamedWhichMovesNothingElse) {
  EXPECT_EQ(machine_times_file(), folder_.path() / "auto_times.json");
  const Variable named("NDT_AUTO_TIMES", folder_.path() / "named.json");
  EXPECT_EQ(machine_times_file(), folder_.path() / "named.json");
  EXPECT_EQ(cache_folder(), folder_.path());
  keep(to_json(times_of_this_machine()));
  EXPECT_EQ(chosen(), "multikernel_cpu");
  const Variable nowhere("NDT_AUTO_TIMES", "/dev/null/auto_times.json");
  EXPECT_EQ(kept_times().why_not, "nothing was measured on this machine");
  EXPECT_EQ(chosen(), usual_);
}

TEST_F(KeptTimesTest, AreOfAllCoresAndOneDevice) {
  keep(to_json(times_of_this_machine()));
  AlignOptions options;
  options.threads = 1;
  EXPECT_EQ(chosen(options), usual_);
  options = {};
  options.devices = 2;
  EXPECT_EQ(chosen(options), usual_);
}

TEST_F(KeptTimesTest, OfAnotherMachineAreNotUsedAndTheDifferenceIsSaid) {
  const MachineTimes mine = times_of_this_machine();
  std::vector<std::pair<MachineTimes, std::string>> others(5, {mine, ""});
  others[0].first.machine.cpu = "abacus", others[0].second = "of another processor: 'abacus'";
  others[1].first.machine.threads += 1, others[1].second = "of another number of threads: ";
  others[2].first.machine.gpu += "x", others[2].second = "of another GPU: ";
  others[3].first.machine.driver += "x", others[3].second = "of another driver: ";
  others[4].first.machine.version = "0.0.1", others[4].second = "of another version: '0.0.1'";
  for (const auto& [other, said] : others) {
    keep(to_json(other));
    EXPECT_THAT(kept_times().why_not, HasSubstr("is not used: its times are " + said));
    EXPECT_EQ(chosen(), usual_) << said;
  }
}

TEST_F(KeptTimesTest, ThatCannotBeReadStopNothing) {
  keep("{ broken");
  EXPECT_THAT(kept_times().why_not, HasSubstr("it is not what doctor --measure writes"));
  EXPECT_EQ(chosen(), usual_);
  std::filesystem::remove(machine_times_file());
  std::filesystem::create_directory(machine_times_file());
  EXPECT_THAT(kept_times().why_not, HasSubstr("it is not a file"));
  EXPECT_EQ(chosen(), usual_);
  ::setenv("NDT_CACHE", "/dev/null", 1);
  EXPECT_EQ(chosen(), usual_);
}

}  // namespace
}  // namespace ndt
