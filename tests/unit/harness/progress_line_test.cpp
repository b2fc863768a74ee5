#include "cli/common/progress_line.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace ndt::harness {
namespace {

TEST(ProgressLine, TellsShareCountTimeLeftAndWhatIsMeasured) {
  EXPECT_EQ(progress_text({25, 100, "a on b"}, 30, 0),
            "[#####---------------]  25 %  25/100  1:30 left  a on b");
  EXPECT_EQ(progress_text({0, 100, "a"}, 3, 0), "[--------------------]   0 %  0/100  a")
      << "nothing to go by yet";
  EXPECT_EQ(progress_text({100, 100, "a"}, 3, 0), "[####################] 100 %  100/100  0:00 left  a");
}

TEST(ProgressLine, WhatIsMeasuredCannotMoveTheCursor) {
  EXPECT_EQ(progress_text({0, 1, "a\x1B[2J\nb \xC3\xA4 \xC2\x9B"}, 0, 0),
            "[--------------------]   0 %  0/1  a\\x1B[2J\\x0Ab \xC3\xA4 \\xC2\\x9B");
}

TEST(ProgressLine, WhatAnEarlierSessionDidSaysNothingAboutTheTimeLeft) {
  EXPECT_EQ(progress_text({60, 100, "a"}, 10, 50), "[############--------]  60 %  60/100  0:40 left  a");
}

TEST(ProgressLine, TheEndIsToldOnce) {
  testing::internal::CaptureStderr();
  ProgressLine line;
  for (const std::size_t done : {1, 2, 2, 2}) line.show({done, 2, "a"});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
}

}  // namespace
}  // namespace ndt::harness
