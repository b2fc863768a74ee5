// The helpers of reader and writer tests: files written byte by byte, and clouds that are hard to store.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bytes.hpp"
#include "message_of.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/point_cloud.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {

/// Files in a folder of its own for each test.
class ScratchFiles : public testing::Test {
 protected:
  explicit ScratchFiles(std::string name) : name_(std::move(name)) {}
  std::filesystem::path path() const { return path(name_); }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  std::filesystem::path put(std::string_view bytes) const {
    std::ofstream(path(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path();
  }
  std::string written() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string name_;
  TemporaryFolder folder_;
};

/// The message of the InputError that a call ends with; empty if it ends without.
template <class Call>
std::string input_error_of(Call call) {
  return message_of<InputError>(call);
}

/// Returns the message of the std::invalid_argument that a mistaken call throws.
template <class Call>
std::string mistake_of(Call call) {
  return message_of<std::invalid_argument>(call);
}

inline long peak_kib() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// `refusal` gives the message of a refusal; it may take neither time nor memory.
template <class Refusal>
void expect_cheap_refusal(std::string_view what, Refusal refusal) {
  const long before_kib = peak_kib();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(refusal(), "") << what;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 100) << what << ": 10 ms wanted, ten times that for a busy machine";
  EXPECT_LT(peak_kib() - before_kib, 64 << 10) << what;
}

/// Every kind of float.
inline PointCloud awkward_cloud() {
  using Limits = std::numeric_limits<float>;
  constexpr float nan = Limits::quiet_NaN(), inf = Limits::infinity();
  return {{},
          {{0.f, -0.f, 1.f},
           {nan, -nan, inf},
           {-inf, Limits::denorm_min(), -Limits::denorm_min()},
           {Limits::max(), Limits::lowest(), Limits::min()},
           {0.1f, 1.f / 3, 16777217.f},
           {-1e-40f, 3.4e38f, 123.456f}}};
}

/// Random bits: denormals and NaNs of any payload among them.
inline PointCloud noise(std::size_t n) {
  std::mt19937 random(3);
  PointCloud cloud;
  for (std::size_t i = 0; i < n; ++i) {
    Point p;
    const std::uint32_t bits[] = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                                  static_cast<std::uint32_t>(random())};
    std::memcpy(&p, bits, sizeof p);
    cloud.points.push_back(p);
  }
  return cloud;
}

}  // namespace ndt::harness
