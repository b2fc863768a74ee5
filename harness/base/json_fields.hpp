// Value types to and from JSON arrays. Matrices are row-major; numbers keep all their digits; what is not
// finite is null.
#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::harness {

template <std::size_t N>
nlohmann::ordered_json array_of(const double (&values)[N]) {
  return std::vector<double>(values, values + N);
}
inline nlohmann::ordered_json array_of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline nlohmann::ordered_json array_of(const Sym3<double>& s) { return {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz}; }
inline nlohmann::ordered_json json_of(const FinishStep& finish) {
  return {{"step_m", finish.step_m}, {"score", finish.score}};
}

/// Throws nlohmann::json::exception unless the value is an array of 16 numbers.
template <class Json>
Transform transform_of(const Json& value) {
  const auto numbers = value.template get<std::array<double, 16>>();
  Transform transform;
  std::copy(numbers.begin(), numbers.end(), transform.m);
  return transform;
}

}  // namespace ndt::harness
