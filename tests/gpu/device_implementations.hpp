// Runs a test on every implementation of the registry that is on a device.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "implementation_names.hpp"
#include "run/repeatability.hpp"
#include "test_clouds.hpp"

namespace ndt {

class DeviceImplementation : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    const std::string reason = GetParam().unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  /// One launch for the whole loop; else stages, and a flag of 4 bytes after each round.
  static bool one_launch() { return GetParam().budget.launches == 1; }
  std::unique_ptr<Aligner> in_courtyard(const AlignOptions& options = {}) const {
    auto aligner = GetParam().make(options);
    aligner->set_map(test_clouds::map());
    return aligner;
  }
};

/// The first points of the courtyard's scan.
inline PointCloud part_of_scan(std::size_t points) {
  PointCloud part;
  part.points.assign(test_clouds::scan().points.begin(),
                     test_clouds::scan().points.begin() + static_cast<long>(points));
  return part;
}

inline std::vector<Implementation> device_implementations() {
  std::vector<Implementation> out;
  for (const Implementation& entry : harness::implementations())
    if (entry.on_device) out.push_back(entry);
  return out;
}

#define NDT_ON_DEVICE_IMPLEMENTATIONS(Suite)                                                    \
  INSTANTIATE_TEST_SUITE_P(Implementations, Suite, testing::ValuesIn(device_implementations()), \
                           implementation_name)

}  // namespace ndt
