// Limits whose files would be too large to write in a test.
#include "ndt/core/limits.hpp"

#include "base/io_names.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_output.hpp"
#include "ndt/io/text.hpp"
#include "ndt/io/trajectory_steps.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::EndsWith;

class LimitsTest : public ScratchFiles {
 protected:
  LimitsTest() : ScratchFiles("large") {}
};

TEST_F(LimitsTest, MoreThanAReaderTakesIsNotWritten) {
  require_readable_count("map.ply", "points", Limits::kPoints, Limits::kPoints);
  EXPECT_EQ(input_error_of(
                [] { require_readable_count("map.ply", "points", Limits::kPoints + 1, Limits::kPoints); }),
            "map.ply: 134217729 points to write, the limit is 134217728; split them into smaller files");
  EXPECT_EQ(input_error_of([] { require_writable("t.tum", "write_tum", Limits::kPoses + 1); }),
            "t.tum: 16777217 poses to write, the limit is 16777216; split them into smaller files");
}

TEST_F(LimitsTest, OnePoseMoreThanTheLimitIsRefusedOnItsLine) {
  ByteSource source(put("1 2 3\n"));
  TextWords words(source);
  words.next();
  require_room(words, Limits::kPoses - 1);
  EXPECT_THAT(
      input_error_of([&] { require_room(words, Limits::kPoses); }),
      EndsWith(
          "large: line 1: more than the limit of 16777216 poses; split the trajectory into smaller files"));
}

TEST_F(LimitsTest, AFileThatShrinksWhileItIsReadIsNoticed) {
  ByteSource source(put(std::string(200'000, 'x')));
  std::filesystem::resize_file(path(), 100'000);
  source.skip(150'000);
  std::array<std::byte, 100> bytes;
  EXPECT_THAT(
      input_error_of([&] { source.read(bytes); }),
      EndsWith("byte 150000: the file shrank while being read; wait until it is written, read again"));
}

}  // namespace
}  // namespace ndt::harness
