// Every file of the catalogue: its exact answer, at once, and without taking memory for what it only claims.
#include "catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "asked_memory.hpp"
#include "ndt/core/error.hpp"
#include "ndt/harness/io/pcd.hpp"
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

/// What a reader gave or said.
struct Outcome {
  PointCloud cloud;
  std::uint64_t trailing_bytes = 0;
  std::string refusal;  ///< empty if it was accepted
};

Outcome read(Format format, const std::filesystem::path& file) {
  Outcome outcome;
  try {
    switch (format) {
      case Format::pcd: {
        harness::PcdInfo info;
        outcome.cloud = harness::read_pcd(file, &info);
        outcome.trailing_bytes = info.trailing_bytes;
      }
    }
  } catch (const InputError& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

class Catalogue : public testing::TestWithParam<Entry> {
 protected:
  void SetUp() override { GetParam().make(file_); }
  Outcome read() const { return catalogue::read(GetParam().format, file_); }

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
    EXPECT_EQ(got.refusal, file_.string() + ": " + refused->message);
    if (kTimed) {
      EXPECT_LE(fastest_read_ms(), kMostTime_ms);
    }
    return;
  }
  const auto& accepted = std::get<Accepted>(GetParam().answer);
  EXPECT_EQ(got.refusal, "");
  EXPECT_EQ(got.cloud.size(), accepted.points);
  EXPECT_EQ(finite_points(got.cloud, got.cloud.origin).dropped, static_cast<std::int64_t>(accepted.non_finite));
  EXPECT_EQ(got.trailing_bytes, accepted.trailing_bytes);
}

INSTANTIATE_TEST_SUITE_P(Files, Catalogue, testing::ValuesIn(entries()),
                         [](const auto& test) { return test.param.name; });

TEST(CatalogueTable, IsLargeAndItsNamesAreUnique) {
  std::set<std::string> names;
  for (const Entry& entry : entries()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  EXPECT_GE(names.size(), 120U);
}

TEST(AskedMemory, CountsWhatIsAskedForThoughNeverUsed) {
  const std::size_t before = asked_memory();
  ::operator delete(::operator new (std::size_t{64} << 20));
  EXPECT_GE(asked_memory() - before, std::size_t{64} << 20);
}

}  // namespace
}  // namespace ndt::catalogue
