#include "arrays.hpp"

#include <stdexcept>

#include "ndt/io/clouds.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;
using AnyArray = nb::ndarray<nb::ro>;

std::string shape_text(const AnyArray& array) {
  std::string out = "(";
  for (std::size_t i = 0; i < array.ndim(); ++i) out += (i > 0 ? ", " : "") + std::to_string(array.shape(i));
  return out + (array.ndim() == 1 ? ",)" : ")");
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
  if (object.is_none() || !nb::try_cast(object, array)) refuse_type(name, wanted, object);
  if (array.device_type() != nb::device::cpu::value)
    throw nb::type_error((std::string(name) + ": it lies on a device; copy it to the host first").c_str());
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

Transform rigid(const double* from, const std::string& name) {
  Transform out;
  std::copy_n(from, 16, out.m);
  require_rigid(out, name.c_str());
  return out;
}

}  // namespace

PointCloud cloud_from(nb::handle object, const char* name) {
  const AnyArray array = array_from(object, name, "a numpy array of shape (N, 3) or (N, 4)");
  if (array.ndim() != 2 || array.shape(1) < 3 || array.shape(1) > 4)
    throw nb::value_error(
        (std::string(name) + ": the shape is " + shape_text(array) + "; give (N, 3) or (N, 4)").c_str());
  if (array.dtype() == nb::dtype<double>()) return io::cloud_of(points_of<double>(array), name);
  if (array.dtype() != nb::dtype<float>())
    throw nb::type_error(
        (std::string(name) + ": give float32 or float64, not " + attribute_text(object, "dtype")).c_str());
  return {{}, points_of<float>(array)};
}

Transform transform_from(nb::handle object, const char* name) {
  const AnyArray array = doubles_of(object, name, "a rigid matrix of shape (4, 4)");
  if (array.ndim() != 2 || array.shape(0) != 4 || array.shape(1) != 4)
    throw nb::value_error(
        (std::string(name) + ": the shape is " + shape_text(array) + "; give (4, 4)").c_str());
  return rigid(static_cast<const double*>(array.data()), name);
}

std::vector<Transform> transforms_from(nb::handle object, const char* name) {
  const AnyArray array = doubles_of(object, name, "rigid matrices of shape (N, 4, 4)");
  if (array.ndim() != 3 || array.shape(1) != 4 || array.shape(2) != 4)
    throw nb::value_error(
        (std::string(name) + ": the shape is " + shape_text(array) + "; give (N, 4, 4)").c_str());
  std::vector<Transform> out;
  for (std::size_t i = 0; i < array.shape(0); ++i)
    out.push_back(rigid(static_cast<const double*>(array.data()) + 16 * i,
                        std::string(name) + "[" + std::to_string(i) + "]"));
  return out;
}

}  // namespace ndt::python
