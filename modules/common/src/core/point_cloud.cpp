#include "ndt/core/point_cloud.hpp"

#include <cstdint>
#include <stdexcept>

#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {

void require_readable(const DeviceCloud& cloud, const char* where) {
  if (cloud.size == 0) return;
  if (cloud.size > Limits::kPoints)
    throw InputError(formatted("{}: {} points on the device, at most {} are possible", where, cloud.size,
                               Limits::kPoints));
  if (cloud.points == nullptr)
    throw std::invalid_argument(
        formatted("{}: {} points on the device at a null address; give their address", where, cloud.size));
  const auto refuse_odd = [&](const char* what, std::int64_t value) {
    constexpr std::int64_t kFloat = sizeof(float);
    if (value % kFloat != 0)
      throw std::invalid_argument(
          formatted("{}: {} = {} of the points on the device; give a multiple of 4, the bytes of float32",
                    where, what, value));
  };
  refuse_odd("address", static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(cloud.points)));
  refuse_odd("stride_bytes", cloud.stride_bytes);
  refuse_odd("x_bytes", cloud.x_bytes);
  refuse_odd("y_bytes", cloud.y_bytes);
  refuse_odd("z_bytes", cloud.z_bytes);
}

}  // namespace ndt
