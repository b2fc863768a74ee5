#include "run/load_meter.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/clock.hpp"
#include "base/package_energy.hpp"
#include "base/process.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using Ids = std::vector<std::string>;

void sleep_1_ms() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

/// Takes 1 ms of this thread's CPU time, however long the core is taken away.
void work_1_ms() {
  const ThreadStopwatch watch;
  while (watch.elapsed_us() < 1000) {
  }
}

TEST(LoadMeter, WorkTakesItsShareOfACoreAndSleepDoesNot) {
  const LoadMeter meter(Nvml::get(), {});
  int calls = 0;
  const Stopwatch watch;
  const double busy = meter.measure(0.3, [&] { ++calls, work_1_ms(); }).cpu_percent;
  const double worked_percent =
      100 * calls * 1e-3 / (watch.elapsed_us() / 1e6);  // less than 100 on a busy machine
  EXPECT_NEAR(busy / worked_percent, 1, 0.15);
  EXPECT_LT(busy, 130) << "one thread works";
  const double asleep = meter.measure(0.3, sleep_1_ms).cpu_percent;
  EXPECT_GT(asleep, 0);
  EXPECT_LT(asleep, 0.5 * busy);
}

TEST(LoadMeter, ACallThatIsLongerThanTheTimeIsMadeOnce) {
  int calls = 0;
  LoadMeter(Nvml::get(), {}).measure(0, [&] { ++calls, sleep_1_ms(); });
  EXPECT_EQ(calls, 1);
}

TEST(LoadMeter, ThereIsNoGpuWithoutTheLibraryOrItsFunctions) {
  for (const char* library : {"libno-such-nvml.so", "libc.so.6"}) {
    const Nvml nvml(library);
    EXPECT_TRUE(nvml.cards({}).empty()) << library;
    EXPECT_FALSE(nvml.memory().has_value()) << library;
    const Load load = LoadMeter(nvml, nvml.cards({})).measure(0.01, sleep_1_ms);
    EXPECT_FALSE(load.gpu_percent || load.gpu_energy_mj || load.gpu_idle_w) << library;
    EXPECT_GE(load.cpu_percent, 0) << library;
  }
}

TEST(LoadMeter, TheGpusEnergyIsSharedByTheCalls) {
  const Nvml nvml(NDT_FAKE_NVML);
  const Load load = LoadMeter(nvml, nvml.cards({})).measure(0.5, [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  EXPECT_EQ(load.gpu_percent, 80);
  EXPECT_NEAR(load.gpu_idle_w.value(), 200, 20);
  EXPECT_GT(load.gpu_energy_mj.value(), 200 * 100 * 0.99) << "200 W for 100 ms are 20 J";
  EXPECT_LT(load.gpu_energy_mj.value(), 200 * 100 * 2.0);
}

TEST(LoadMeter, CardsAreFoundByTheirBusIdAndCountTogether) {
  const Nvml nvml(NDT_FAKE_NVML);
  const auto both = nvml.cards({"0000:00", "0000:01"});
  EXPECT_EQ(nvml.busy_percent(both), 40);
  EXPECT_GE(nvml.energy_mj(both).value(), 2 * 5e6);
  EXPECT_TRUE(nvml.cards({"0000:00", "0000:07"}).empty()) << "one is unknown";
  EXPECT_FALSE(nvml.memory().has_value()) << "the library cannot count its cards";
}

TEST(LoadMeter, ACardThatDoesNotAnswerOrIsNotUsedHasNothing) {
  const Nvml nvml(NDT_FAKE_NVML);
  for (const char* id : {"0000:02", "0000:01"}) {
    const Load load = LoadMeter(nvml, nvml.cards(Ids{id})).measure(0.01, sleep_1_ms);
    EXPECT_FALSE(load.gpu_percent || load.gpu_energy_mj || load.gpu_idle_w) << id;
  }
}

TEST(LoadMeter, TheCpuTimeOfAChildCounts) {
  Pipe pipe;
  const pid_t child = ::fork();
  if (child == 0) {
    for (int k = 0; k < 50; ++k) work_1_ms();
    (void)!::write(pipe.write_end(), "x", 1);
    ::pause();
    ::_exit(0);
  }
  char done = 0;
  ASSERT_EQ(::read(pipe.read_end(), &done, 1), 1);
  const double of_child = cpu_seconds(child);
  EXPECT_GE(of_child, 0.05);
  EXPECT_LT(of_child, 1) << "none of its parent's";
  EXPECT_GE(cpu_seconds(::getpid()), of_child) << "of all that it started";
  kill_tree(child);
  ::waitpid(child, nullptr, 0);
}

class PackageFiles : public ScratchFiles {
 protected:
  PackageFiles() : ScratchFiles("zones") {}
  void zone(const std::string& name, const std::string& what, const std::string& uj) {
    const auto folder = path() / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "name") << what << '\n';
    if (!uj.empty()) std::ofstream(folder / "energy_uj") << uj << '\n';
    std::ofstream(folder / "max_energy_range_uj") << "1000000\n";
  }
};

TEST_F(PackageFiles, PackagesCountTogetherAlsoWhereACounterBeginsAgain) {
  zone("intel-rapl:0", "package-0", "999000");
  zone("intel-rapl:1", "package-1", "5000");
  zone("intel-rapl:0:0", "core", "7");
  zone("intel-rapl:2", "psys", "9");
  const auto before = package_energies(path());
  ASSERT_EQ(before.size(), 2u);
  zone("intel-rapl:0", "package-0", "1000");
  zone("intel-rapl:1", "package-1", "8000");
  EXPECT_EQ(energy_between_mj(before, package_energies(path())), 2 + 3);
}

TEST_F(PackageFiles, ACounterThatCannotBeReadIsNoEnergy) {
  EXPECT_TRUE(package_energies(path()).empty());
  zone("intel-rapl:0", "package-0", "1000");
  const auto before = package_energies(path());
  zone("intel-rapl:1", "package-1", "");
  EXPECT_TRUE(package_energies(path()).empty());
  EXPECT_FALSE(energy_between_mj(before, package_energies(path())).has_value());
}

}  // namespace
}  // namespace ndt::harness
