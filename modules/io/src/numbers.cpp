#include "ndt/io/numbers.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/errors.hpp"

namespace ndt::io {
namespace {

template <class T>
std::errc parse_all(std::string_view word, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return end == word.data() + word.size() ? error : std::errc::invalid_argument;
}

/// Takes the prefix off the word, in any case.
bool take_prefix(std::string_view& word, std::string_view prefix) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  if (!std::ranges::equal(word.substr(0, prefix.size()), prefix, same)) return false;
  word.remove_prefix(prefix.size());
  return true;
}

/// Parses what programs on Windows write: nan(ind), nan(snan), and of older compilers 1.#QNAN, 1.#SNAN,
/// 1.#IND and 1.#INF, which zeros may follow (1.#QNAN0).
std::optional<double> windows_non_finite(std::string_view word) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const bool negative = take_prefix(word, "-");
  if (take_prefix(word, "nan(ind)") || take_prefix(word, "nan(snan)"))
    return word.empty() ? std::optional(kNan) : std::nullopt;
  if (!take_prefix(word, "1.#")) return std::nullopt;
  const bool infinite = take_prefix(word, "INF");
  if (!infinite && !take_prefix(word, "QNAN") && !take_prefix(word, "SNAN") && !take_prefix(word, "IND"))
    return std::nullopt;
  if (word.find_first_not_of('0') != std::string_view::npos) return std::nullopt;
  if (!infinite) return kNan;
  return negative ? -kInf : kInf;
}

constexpr std::string_view kSpaces = " \t\r\n";

/// Words between blanks; between two commas there must be at least one, so an empty stretch gives an empty
/// word.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view piece = text.substr(0, comma);
    const std::size_t before = out.size();
    while (true) {
      piece.remove_prefix(std::min(piece.find_first_not_of(kSpaces), piece.size()));
      if (piece.empty()) break;
      const std::size_t end = std::min(piece.find_first_of(kSpaces), piece.size());
      out.push_back(piece.substr(0, end));
      piece.remove_prefix(end);
    }
    if (out.size() == before) out.emplace_back();
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
}

double number(std::string_view word, std::size_t position, std::string_view option) {
  const Real<double> real = parse_real<double>(word);
  if (real.fault != RealFault::none || !std::isfinite(real.value))
    throw std::invalid_argument(
        formatted("{}: number {} is '{}'; give a finite decimal number", option, position, printable(word)));
  return real.value;
}

}  // namespace

std::optional<std::uint64_t> parse_whole_number(std::string_view word) {
  std::uint64_t value = 0;
  if (parse_all(word, value) != std::errc{}) return std::nullopt;
  return value;
}

template <class T>
Real<T> parse_real(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  Real<T> real;
  // from_chars takes nan(anything) for nan.
  const std::errc error = word.ends_with(')') ? std::errc::invalid_argument : parse_all(word, real.value);
  if (error == std::errc{}) return real;
  if (error != std::errc::result_out_of_range) {
    if (const auto value = windows_non_finite(word)) return {static_cast<T>(*value), RealFault::none};
    return {0, RealFault::not_a_number};
  }
  long double wide = 0;  // tells too small from too large, which from_chars reports alike
  if (parse_all(word, wide) != std::errc{} || std::fabs(wide) >= 1) return {0, RealFault::out_of_range};
  return {static_cast<T>(wide), RealFault::none};
}

template Real<float> parse_real<float>(std::string_view);
template Real<double> parse_real<double>(std::string_view);

std::vector<double> parse_numbers(std::string_view text, std::string_view option) {
  std::vector<double> numbers;
  for (const std::string_view word : words(text)) numbers.push_back(number(word, numbers.size() + 1, option));
  return numbers;
}

Transform parse_transform(std::string_view text, std::string_view option) {
  const std::vector<double> v = parse_numbers(text, option);
  if (v.size() == 6) return to_transform(Pose{v[0], v[1], v[2], v[3], v[4], v[5]});
  if (v.size() != 16)
    throw std::invalid_argument(formatted(
        "{}: {} numbers; give 6 (x,y,z,roll,pitch,yaw in metres and radians) or 16 (a 4x4 matrix, "
        "row by row){}",
        option, v.size(), v.size() == 7 ? formatted("; a quaternion of ROS goes with {}-ros", option) : ""));
  Transform transform;
  std::ranges::copy(v, transform.m);
  require_rigid(transform, std::string(option).c_str());
  return transform;
}

Transform parse_ros_pose(std::string_view text, std::string_view option) {
  const std::vector<double> v = parse_numbers(text, option);
  const auto turned = [&](double Pose::*angle, double value) {
    Pose pose;
    pose.*angle = value;
    return rotation_of(pose);
  };
  if (v.size() == 6)
    return make_transform(turned(&Pose::yaw, v[5]) * turned(&Pose::pitch, v[4]) * turned(&Pose::roll, v[3]),
                          {v[0], v[1], v[2]});
  if (v.size() != 7)
    throw std::invalid_argument(formatted(
        "{}: {} numbers; give 7 (x,y,z,qx,qy,qz,qw) or 6 (x,y,z,roll,pitch,yaw of fixed axes, as in ROS, in "
        "metres and radians)",
        option, v.size()));
  const double length = std::hypot(std::hypot(v[3], v[4], v[5]), v[6]);
  if (!(std::abs(length - 1) <= Limits::kQuaternionNorm))
    throw std::invalid_argument(
        formatted("{}: the quaternion qx,qy,qz,qw has length {}, not 1 within {}; qw is the last", option,
                  length, Limits::kQuaternionNorm));
  const double x = v[3] / length, y = v[4] / length, z = v[5] / length, w = v[6] / length;
  const Mat3<double> rotation{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                               2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                               2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
  return make_transform(rotation, {v[0], v[1], v[2]});
}

}  // namespace ndt::io
