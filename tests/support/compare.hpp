// Differences between results, each as one number, and a recorder of the worst case that prints what it saw.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "ndt/align/align_result.hpp"

namespace ndt::compare {

inline double relative(double got, double expected) {
  return std::abs(got - expected) / std::max(std::abs(expected), 1e-300);
}

/// Largest difference over the largest entry.
template <class Array>
double of_largest_entry(const Array& got, const Array& expected, int n) {
  double difference = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    difference = std::max(difference, std::abs(got[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest > 0 ? difference / largest : difference;
}
inline double gradient(const Vec6& got, const Vec6& expected) {
  return of_largest_entry(got.v, expected.v, 6);
}
inline double hessian(const Mat6& got, const Mat6& expected) {
  return of_largest_entry(got.m, expected.m, 36);
}

/// Worst over the four 3x3 blocks of |difference| / |block| (Frobenius).
inline double hessian_blocks(const Mat6& got, const Mat6& expected) {
  double worst = 0;
  for (int row = 0; row < 6; row += 3)
    for (int col = 0; col < 6; col += 3) {
      double difference = 0, norm = 0;
      for (int i = row; i < row + 3; ++i)
        for (int j = col; j < col + 3; ++j) {
          difference += std::pow(got(i, j) - expected(i, j), 2);
          norm += std::pow(expected(i, j), 2);
        }
      worst = std::max(worst, std::sqrt(difference / std::max(norm, 1e-300)));
    }
  return worst;
}

inline double degrees(double radians) { return radians * 180 / 3.14159265358979323846; }

/// Keeps the largest value seen and the case it belongs to.
struct Worst {
  double value = 0;
  std::string where = "-";
  void see(double v, const std::string& name) {
    if (!(v <= value)) value = v, where = name;  // NaN is the worst
  }
  void print(const char* what) const {
    std::printf("  worst %-28s %10.3g  %s\n", what, value, where.c_str());
  }
};

}  // namespace ndt::compare
