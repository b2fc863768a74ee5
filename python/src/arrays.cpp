#include "arrays.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>

#include "ndt/io/clouds.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;
using AnyArray = nb::ndarray<nb::ro>;

constexpr const char* kCudaInterface = "__cuda_array_interface__";

std::vector<std::size_t> shape_of(const AnyArray& array) {
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
  return shape;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

void require_cloud_shape(const std::vector<std::size_t>& shape, const char* name) {
  if (shape.size() != 2 || shape[1] < 3 || shape[1] > 4)
    throw nb::value_error(
        (std::string(name) + ": the shape is " + shape_text(shape) + "; give (N, 3) or (N, 4)").c_str());
}

/// str(object.name)
std::string attribute_text(nb::handle object, const char* name) {
  const nb::object value = object.attr(name);
  return nb::cast<std::string>(nb::str(nb::handle(value)));
}

[[noreturn]] void refuse_type(const char* name, const char* wanted, nb::handle got) {
  const std::string type = got.is_none() ? "None" : attribute_text(got.type(), "__name__");
  throw nb::type_error((std::string(name) + ": give " + wanted + ", not " + type).c_str());
}

/// The array, in memory that the processor reads.
AnyArray array_from(nb::handle object, const char* name, const char* wanted) {
  AnyArray array;
  const bool is_array = !object.is_none() && nb::try_cast(object, array);
  if (is_array ? array.device_type() != nb::device::cpu::value : nb::hasattr(object, kCudaInterface))
    throw nb::type_error((std::string(name) + ": it lies on a device; copy it to the host first").c_str());
  if (!is_array) refuse_type(name, wanted, object);
  return array;
}

template <class T>
std::vector<Vec3<T>> points_of(const AnyArray& array) {
  const T* first = static_cast<const T*>(array.data());
  const std::ptrdiff_t row = array.stride(0), col = array.stride(1);
  std::vector<Vec3<T>> points(array.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const T* at = first + static_cast<std::ptrdiff_t>(i) * row;
    points[i] = {at[0], at[col], at[2 * col]};
  }
  return points;
}

/// The numbers of a pose or of many, as float64 in row order.
AnyArray doubles_of(nb::handle object, const char* name, const char* wanted) {
  if (object.is_none()) refuse_type(name, wanted, object);
  try {
    const nb::object made =
        nb::module_::import_("numpy").attr("ascontiguousarray")(object, "dtype"_a = "float64");
    return array_from(made, name, wanted);
  } catch (const nb::python_error&) {
    refuse_type(name, wanted, object);
  }
}

[[noreturn]] void refuse_number_type(const char* name, const std::string& got) {
  throw nb::type_error((std::string(name) + ": give float32 on a device, not " + got).c_str());
}

/// Whether the object says that it is CUDA memory, by DLPack's number for it.
bool is_dlpack_on_cuda(nb::handle object) {
  constexpr int kCuda = 2, kCudaHost = 3, kCudaManaged = 13;
  if (!nb::hasattr(object, "__dlpack_device__") || !nb::hasattr(object, "__dlpack__")) return false;
  const int type = nb::cast<int>(object.attr("__dlpack_device__")()[0]);
  return type == kCuda || type == kCudaHost || type == kCudaManaged;
}

/// Asks for the array in the order of the legacy default stream, where DeviceCloud reads it without a stream.
Cloud dlpack_cloud(nb::handle object, const char* name) {
  const nb::object capsule = object.attr("__dlpack__")("stream"_a = 1);
  AnyArray array;
  if (!nb::try_cast(capsule, array)) refuse_type(name, "an array that DLPack gives", object);
  require_cloud_shape(shape_of(array), name);
  if (array.dtype() != nb::dtype<float>()) refuse_number_type(name, attribute_text(object, "dtype"));
  constexpr std::ptrdiff_t kFloat = sizeof(float);
  const std::ptrdiff_t column = kFloat * array.stride(1);
  const DeviceCloud cloud{array.data(), array.shape(0), kFloat * array.stride(0), 0, column, 2 * column};
  return {cloud, array};
}

/// The entry of a dictionary; None if it has none.
nb::object entry(const nb::dict& dictionary, const char* key) {
  return dictionary.contains(key) ? nb::object(dictionary[key]) : nb::none();
}

/// https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
Cloud cuda_interface_cloud(nb::handle object, const char* name) {
  const nb::dict facts = nb::cast<nb::dict>(object.attr(kCudaInterface));
  const auto shape = nb::cast<std::vector<std::size_t>>(entry(facts, "shape"));
  require_cloud_shape(shape, name);
  if (const auto type = nb::cast<std::string>(entry(facts, "typestr")); type != "<f4")
    refuse_number_type(name, type);
  if (!entry(facts, "mask").is_none())
    throw nb::value_error((std::string(name) + ": it has a mask; give an array without").c_str());
  const auto address = nb::cast<std::uintptr_t>(nb::object(entry(facts, "data")[0]));
  DeviceCloud cloud{reinterpret_cast<const void*>(address), shape[0],
                    static_cast<std::ptrdiff_t>(sizeof(float) * shape[1])};
  if (const nb::object strides = entry(facts, "strides"); !strides.is_none()) {
    const auto bytes = nb::cast<std::vector<std::ptrdiff_t>>(strides);
    cloud.stride_bytes = bytes.at(0), cloud.y_bytes = bytes.at(1), cloud.z_bytes = 2 * bytes.at(1);
  }
  if (const nb::object stream = entry(facts, "stream"); !stream.is_none())
    cloud.stream = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(stream));
  return {cloud, nb::borrow(object)};
}

Transform rigid(const double* from, const std::string& name) {
  Transform out;
  std::copy_n(from, 16, out.m);
  require_rigid(out, name.c_str());
  return out;
}

}  // namespace

PointCloud cloud_from(nb::handle object, const char* name) {
  const AnyArray array = array_from(object, name, "a numpy array of shape (N, 3) or (N, 4)");
  require_cloud_shape(shape_of(array), name);
  if (array.dtype() == nb::dtype<double>()) return io::cloud_of(points_of<double>(array), name);
  if (array.dtype() != nb::dtype<float>())
    throw nb::type_error(
        (std::string(name) + ": give float32 or float64, not " + attribute_text(object, "dtype")).c_str());
  return {{}, points_of<float>(array)};
}

Cloud any_cloud_from(nb::handle object, const char* name) {
  if (object.is_none()) return Cloud(cloud_from(object, name));
  if (is_dlpack_on_cuda(object)) return dlpack_cloud(object, name);
  if (nb::hasattr(object, kCudaInterface)) return cuda_interface_cloud(object, name);
  return Cloud(cloud_from(object, name));
}

Transform transform_from(nb::handle object, const char* name) {
  const AnyArray array = doubles_of(object, name, "a rigid matrix of shape (4, 4)");
  if (array.ndim() != 2 || array.shape(0) != 4 || array.shape(1) != 4)
    throw nb::value_error(
        (std::string(name) + ": the shape is " + shape_text(shape_of(array)) + "; give (4, 4)").c_str());
  return rigid(static_cast<const double*>(array.data()), name);
}

std::vector<Transform> transforms_from(nb::handle object, const char* name) {
  const AnyArray array = doubles_of(object, name, "rigid matrices of shape (N, 4, 4)");
  if (array.ndim() != 3 || array.shape(1) != 4 || array.shape(2) != 4)
    throw nb::value_error(
        (std::string(name) + ": the shape is " + shape_text(shape_of(array)) + "; give (N, 4, 4)").c_str());
  std::vector<Transform> out;
  for (std::size_t i = 0; i < array.shape(0); ++i)
    out.push_back(rigid(static_cast<const double*>(array.data()) + 16 * i,
                        std::string(name) + "[" + std::to_string(i) + "]"));
  return out;
}

nb::object array_of(const PointCloud& cloud) {
  static_assert(sizeof(Point) == 3 * sizeof(float));
  const Vec3<double>& o = cloud.origin;
  if (o.x == 0 && o.y == 0 && o.z == 0)
    return nb::cast(new_array(reinterpret_cast<const float*>(cloud.points.data()), {cloud.size(), 3}));
  std::vector<double> numbers;
  for (const Point& p : cloud.points) {
    const Vec3<double> at = o + cast<double>(p);
    numbers.insert(numbers.end(), {at.x, at.y, at.z});
  }
  return nb::cast(new_array(numbers.data(), {cloud.size(), 3}));
}

}  // namespace ndt::python
