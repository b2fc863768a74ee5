// Runs a test on every implementation of the registry; an implementation that cannot run here is a skip with
// its reason.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "implementation_names.hpp"
#include "test_clouds.hpp"

namespace ndt {

class EveryImplementation : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    const std::string reason = GetParam().unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << GetParam().name << ": " << reason;
  }
  static bool peer() { return GetParam().peer; }
  std::unique_ptr<Aligner> make(const AlignOptions& options = {}) const { return GetParam().make(options); }
  std::unique_ptr<Aligner> in_courtyard(const AlignOptions& options = {}) const {
    auto aligner = make(options);
    aligner->set_map(test_clouds::map());
    return aligner;
  }
};

inline bool same_bits(const Transform& a, const Transform& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

#define NDT_ON_EVERY_IMPLEMENTATION(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                    \
      Implementations, Suite,                                                                  \
      testing::ValuesIn(harness::implementations().begin(), harness::implementations().end()), \
      implementation_name)

}  // namespace ndt
