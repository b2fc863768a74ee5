// Runs a test on every row of the Newton loop on a device.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ndt/gpu_multikernel/aligner.hpp"
#include "ndt/gpu_persistent/aligner.hpp"
#include "run/repeatability.hpp"
#include "test_clouds.hpp"

namespace ndt {

struct DeviceRowEntry {
  const char* name;
  bool one_launch;  ///< for the whole loop; else stages, and a flag of 4 bytes after each round
  std::string (*unavailable_reason)();
  std::unique_ptr<BatchAligner> (*make)(const AlignOptions&);
};
inline void PrintTo(const DeviceRowEntry& row, std::ostream* out) { *out << row.name; }

inline const DeviceRowEntry kDeviceRows[] = {
    {"multikernel_cuda", false, gpu_multikernel::cuda_unavailable_reason, gpu_multikernel::make_cuda_aligner},
    {"multikernel_graph_cuda", true, gpu_multikernel::graph_unavailable_reason, gpu_multikernel::make_graph_aligner},
    {"persistent_cuda", true, gpu_persistent::grid_unavailable_reason, gpu_persistent::make_grid_aligner},
    {"persistent_cluster_cuda", true, gpu_persistent::cluster_unavailable_reason,
     gpu_persistent::make_cluster_aligner}};

class DeviceRows : public testing::TestWithParam<DeviceRowEntry> {
 protected:
  void SetUp() override {
    const std::string reason = GetParam().unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  std::unique_ptr<BatchAligner> in_courtyard(const AlignOptions& options = {}) const {
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

#define NDT_ON_DEVICE_ROWS(Suite)                                       \
  INSTANTIATE_TEST_SUITE_P(Rows, Suite, testing::ValuesIn(kDeviceRows), \
                           [](const auto& row) { return std::string(row.param.name); })

}  // namespace ndt
