#include "io/time_unit.hpp"

#include <gmock/gmock.h>

#include "message_of.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

/// 20 times of so many a second.
std::vector<double> times(double rate_hz, double unit_s, double start_s = 0) {
  std::vector<double> out;
  for (int k = 0; k < 20; ++k) out.push_back((start_s + k / rate_hz) / unit_s);
  return out;
}

TEST(TimeUnit, IsToldByTheStep) {
  for (const TimeUnit unit : all_values<TimeUnit>())
    for (const double start_s : {0.0, 1.7e9}) {
      EXPECT_EQ(unit_of(times(10, seconds_in(unit), start_s)), unit)
          << to_string(unit) << " from " << start_s;
      const auto seconds = in_seconds(times(10, seconds_in(unit), start_s), "stamps.txt", NoUnit::refuse);
      EXPECT_NEAR(seconds.times_s[10], start_s + 1, 1e-6);
      EXPECT_EQ(seconds.note.empty(), unit == TimeUnit::s);
    }
  EXPECT_THAT(in_seconds(times(10, 1e-9), "stamps.txt", NoUnit::refuse).note,
              HasSubstr("stamps.txt: its times are in ns and were multiplied by 1e-09"));
}

TEST(TimeUnit, IsToldByTheSizeOfTheTimesToo) {
  EXPECT_EQ(unit_of(times(20, 1e-3, 1.7e9)), TimeUnit::ms) << "steps of 50 could be seconds";
  EXPECT_EQ(unit_of(std::vector{1.7e9}), TimeUnit::s);
  EXPECT_EQ(unit_of(std::vector{1.7e18}), TimeUnit::ns);
  EXPECT_EQ(unit_of({}), TimeUnit::s);
}

TEST(TimeUnit, OfKeyframesMinutesApartIsSeconds) {
  EXPECT_EQ(unit_of(std::vector{1.7e9 + 0.25, 1.7e9 + 120.5, 1.7e9 + 250.75}), TimeUnit::s);
  EXPECT_EQ(unit_of(std::vector{0.25, 120.5, 250.75}), TimeUnit::ms) << "nothing says that they are seconds";
  EXPECT_EQ(unit_of(times(10, 1e-6, 1200)), TimeUnit::us) << "a clock since its start, 20 minutes ago";
}

TEST(TimeUnit, ThatFitsNothingIsRefusedUnlessItIsGiven) {
  const std::vector<double> dense = times(1e5, 1);
  EXPECT_THAT(message_of<InputError>([&] { in_seconds(dense, "stamps.txt", NoUnit::refuse); }),
              AllOf(HasSubstr("the median step between its times is 1e-05"), HasSubstr("--stamp-unit")));
  EXPECT_EQ(in_seconds(dense, "stamps.txt", NoUnit::refuse, TimeUnit::s).times_s, dense);
  EXPECT_EQ(in_seconds(dense, "odometry.tum", NoUnit::keep).times_s, dense);
  EXPECT_NEAR(in_seconds({0, 20, 40}, "stamps.txt", NoUnit::refuse, TimeUnit::ms).times_s[2], 0.04, 1e-12);
}

}  // namespace
}  // namespace ndt::harness
