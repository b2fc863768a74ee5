// numpy arrays in and out. What cannot be used is refused with the argument's name.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::python {

namespace nb = nanobind;

/// Makes a cloud of an array (N, 3) or (N, 4), float32 or float64, in any memory order. Values of float32
/// stay as they are, with origin 0. Values of float64 become what a file of float64 becomes
/// (ndt::io::cloud_of). Throws TypeError or ValueError that begins with `name`.
PointCloud cloud_from(nb::handle array, const char* name);

/// The points of a cloud, (N, 3): float32, or float64 if it has an origin.
nb::object array_of(const PointCloud& cloud);

/// A cloud argument, on the host or on a device.
class Cloud {
 public:
  explicit Cloud(PointCloud cloud) : cloud_(std::move(cloud)) {}
  /// owner: keeps the points where they are; let go with the interpreter's lock.
  template <class Owner>
  Cloud(const DeviceCloud& cloud, Owner owner)
      : cloud_(cloud), owner_(std::make_shared<const Owner>(std::move(owner))) {}

  /// f(PointCloud or DeviceCloud); needs no interpreter's lock.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), cloud_);
  }

 private:
  std::variant<PointCloud, DeviceCloud> cloud_;
  std::shared_ptr<const void> owner_;
};

/// As cloud_from(), or the points of a float32 array of these shapes in CUDA memory, which stay there. Such
/// an array has DLPack's methods or __cuda_array_interface__, as those of PyTorch, CuPy and Numba.
Cloud any_cloud_from(nb::handle array, const char* name);

/// A rigid matrix of shape (4, 4), float32 or float64, or anything numpy makes one of. Throws as cloud_from()
/// does.
Transform transform_from(nb::handle array, const char* name);
/// Matrices of shape (N, 4, 4).
std::vector<Transform> transforms_from(nb::handle array, const char* name);

template <std::ptrdiff_t... kShape>
using Array = nb::ndarray<nb::numpy, double, nb::shape<kShape...>>;

/// For properties that give a new array each time; the default would keep it with the object.
inline constexpr auto kNew = nb::rv_policy::move;

/// A new array of that shape with a copy of the numbers.
template <class T>
nb::ndarray<nb::numpy, T> new_array(const T* from, std::initializer_list<std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t side : shape) count *= side;
  T* numbers = new T[count];
  std::copy_n(from, count, numbers);
  const nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(numbers, shape, owner);
}

inline Array<4, 4> matrix_of(const Transform& t) { return Array<4, 4>(new_array(t.m, {4, 4})); }
inline Array<6, 6> matrix_of(const Mat6& m) { return Array<6, 6>(new_array(m.m, {6, 6})); }

}  // namespace ndt::python
