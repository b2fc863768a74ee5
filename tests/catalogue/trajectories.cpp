// Trajectories: TUM lines of time, position and quaternion; KITTI lines of a 3x4 matrix.
#include <fmt/format.h>

#include "catalogue.hpp"

namespace ndt::catalogue {
namespace {

/// "line N: what; advice".
Entry bad_line(Format format, int line, std::string name, const std::string& text, std::string_view what,
               std::string_view advice = kFixLine) {
  return refused(format, std::move(name), text, fmt::format("line {}: {}{}", line, what, advice));
}

// A good line of each, to put bad ones after.
const std::string kTum = "1 0 0 0 0 0 0 1\n";
const std::string kKitti = "1 0 0 0 0 1 0 0 0 0 1 0\n";

constexpr std::string_view kSort = "; sort the lines by time and drop repeated ones";
constexpr std::string_view kNoBlank = "; remove the blank line";
constexpr std::string_view kNoPose = "contains no poses; export the trajectory again";

Entry bad_tum(int line, std::string name, const std::string& text, std::string_view what,
              std::string_view advice = kFixLine) {
  return bad_line(Format::tum, line, "tum_" + name, text, what, advice);
}
Entry bad_kitti(int line, std::string name, const std::string& text, std::string_view what,
                std::string_view advice = kFixLine) {
  return bad_line(Format::kitti_poses, line, "kitti_" + name, text, what, advice);
}

}  // namespace

Entries tum() {
  return {
      accepted(Format::tum, "tum_plain", kTum + "2 1 2 3 0.5 0.5 0.5 0.5\n", {.points = 2}),
      accepted(Format::tum, "tum_comments_and_blank_lines", "# time\n\n" + kTum + "#\n2 1 2 3 1 0 0 0",
               {.points = 2}),
      accepted(Format::tum, "tum_windows_line_ends", "1\t0 0 0 0 0 0 1\r\n\r\n", {.points = 1}),
      accepted(Format::tum, "tum_quaternion_of_4_digits", "1 0 0 0 0.7071 0 0 0.7071\n", {.points = 1}),
      accepted(Format::tum, "tum_quaternion_within_the_tolerance", "1 0 0 0 0 0 0 1.0009\n", {.points = 1}),
      accepted(Format::tum, "tum_times_of_an_epoch",
               "1700000000.1 0 0 0 0 0 0 1\n1700000000.2 0 0 0 0 0 0 1\n", {.points = 2}),
      refused(Format::tum, "tum_empty", "", std::string(kNoPose)),
      refused(Format::tum, "tum_only_comments", "# time x y z\n\n", std::string(kNoPose)),
      bad_tum(2, "7_values", kTum + "2 0 0 0 0 0 1\n", "7 values, expected 8"),
      bad_tum(1, "9_values", "1 0 0 0 0 0 0 1 1\n", "9 values, expected 8"),
      bad_tum(1, "cut_in_a_line", "1 0 0 0", "4 values, expected 8"),
      bad_tum(1, "heading_without_hash", "time x y z qx qy qz qw\n" + kTum,
              "value 1: 'time' is not a number"),
      bad_tum(1, "commas", "1,0,0,0,0,0,0,1\n", "value 1: '1,0,0,0,0,0,0,1' is not a number"),
      bad_tum(1, "nan_position", "1 nan 0 0 0 0 0 1\n", "value 2: 'nan' is not finite"),
      bad_tum(1, "infinite_time", "inf 0 0 0 0 0 0 1\n", "value 1: 'inf' is not finite"),
      bad_tum(1, "1e999", "1 0 0 -1e999 0 0 0 1\n", "value 4: '-1e999' is out of range"),
      bad_tum(1, "long_word", std::string(1 << 20, '1') + " 0 0 0 0 0 0 1\n",
              fmt::format("'{}...' is longer than 256 bytes", std::string(40, '1'))),
      bad_tum(1, "quaternion_past_the_tolerance", "1 0 0 0 0 0 0 1.25\n",
              "quaternion qx qy qz qw has length 1.25, not 1 within 0.001"),
      bad_tum(1, "zero_quaternion", "1 0 0 0 0 0 0 0\n",
              "quaternion qx qy qz qw has length 0, not 1 within 0.001"),
      bad_tum(1, "quaternion_whose_square_overflows", "1 0 0 0 1e200 0 0 0\n",
              "quaternion qx qy qz qw has length 1e+200, not 1 within 0.001"),
      bad_tum(2, "equal_times", kTum + kTum, "time 1 does not come after 1, the one before", kSort),
      bad_tum(2, "unsorted_times", kTum + "0.5 0 0 0 0 0 0 1\n",
              "time 0.5 does not come after 1, the one before", kSort),
      bad_tum(1, "kitti_poses", kKitti, "12 values, expected 8"),
      bad_tum(1, "junk", std::string("\x01\x02\n\xFF", 4), "value 1: '\\x01\\x02' is not a number"),
  };
}

Entries kitti_poses() {
  return {
      accepted(Format::kitti_poses, "kitti_plain", kKitti + "0 -1 0 7 1 0 0 8 0 0 1 9\n", {.points = 2}),
      accepted(Format::kitti_poses, "kitti_without_last_newline", "1 0 0 0 0 1 0 0 0 0 1 0", {.points = 1}),
      accepted(Format::kitti_poses, "kitti_windows_line_ends", "1 0 0 0 0 1 0 0 0 0 1 0\r\n", {.points = 1}),
      accepted(Format::kitti_poses, "kitti_rotation_within_the_tolerance", "1.0004 0 0 0 0 1 0 0 0 0 1 0\n",
               {.points = 1}),
      refused(Format::kitti_poses, "kitti_empty", "", std::string(kNoPose)),
      refused(Format::kitti_poses, "kitti_only_newlines", "\n\n", std::string(kNoPose)),
      bad_kitti(2, "11_values", kKitti + "1 0 0 0 0 1 0 0 0 0 1\n", "11 values, expected 12"),
      bad_kitti(1, "16_values", "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n", "16 values, expected 12"),
      bad_kitti(1, "tum_poses", kTum, "8 values, expected 12"),
      bad_kitti(1, "text", "poses\n", "value 1: 'poses' is not a number"),
      bad_kitti(1, "comment", "# poses\n" + kKitti, "value 1: '#' is not a number"),
      bad_kitti(3, "blank_line", kKitti + "\n" + kKitti, "a blank line before it; line n has to be frame n",
                kNoBlank),
      bad_kitti(1, "nan", "nan 0 0 0 0 1 0 0 0 0 1 0\n", "value 1: 'nan' is not finite"),
      bad_kitti(1, "1e999", "1 0 0 1e999 0 1 0 0 0 0 1 0\n", "value 4: '1e999' is out of range"),
      bad_kitti(1, "scale_2", "2 0 0 0 0 2 0 0 0 0 2 0\n",
                "not a rigid transform: row 0 has length 2 instead of 1 (scale)"),
      bad_kitti(1, "zero", "0 0 0 0 0 0 0 0 0 0 0 0\n",
                "not a rigid transform: row 0 has length 0 instead of 1 (scale)"),
      bad_kitti(1, "determinant_minus_1", "-1 0 0 0 0 1 0 0 0 0 1 0\n",
                "not a rigid transform: the determinant is -1 instead of 1 (reflection)"),
      bad_kitti(1, "shear", "1 0 0 0 0.6 0.8 0 0 0 0 1 0\n",
                "not a rigid transform: rows 0 and 1 are not perpendicular, their product is 0.6 instead of "
                "0 (shear)"),
      bad_kitti(1, "rows_whose_squares_overflow", "1e200 0 0 0 0 1 0 0 0 0 1 0\n",
                "not a rigid transform: row 0 has length inf instead of 1 (scale)"),
  };
}

}  // namespace ndt::catalogue
