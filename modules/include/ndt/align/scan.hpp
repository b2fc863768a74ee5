// The cloud that a call of an aligner takes: from the host's memory, from the device's, or held by the
// aligner.
#pragma once

#include <variant>

#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Stands for the scan that an aligner holds (Aligner::hold).
struct HeldScan {};

/// Refers to the caller's cloud, which must stay as it is for as long as the call says. Made of any of the
/// three without being named: align(cloud, guess).
class Scan {
 public:
  Scan(const PointCloud& cloud) : from_(&cloud) {}                          ///< in the host's memory
  Scan(const DeviceCloud& cloud) : from_(cloud) {}                          ///< on the aligner's device
  Scan(HeldScan held) : from_(held) {}                                      ///< held by the aligner
  bool is_held() const { return std::holds_alternative<HeldScan>(from_); }  ///< whether the aligner has it

  /// The cloud in the host's memory; null for the other two.
  const PointCloud* on_host() const {
    const auto* cloud = std::get_if<const PointCloud*>(&from_);
    return cloud == nullptr ? nullptr : *cloud;
  }
  /// The cloud on the device; null for the other two.
  const DeviceCloud* on_device() const { return std::get_if<DeviceCloud>(&from_); }

 private:
  std::variant<const PointCloud*, DeviceCloud, HeldScan> from_;
};

}  // namespace ndt
