// The extension module ndt._ndt.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "ndt/c.h"
#include "ndt/core/error.hpp"
#include "ndt/io/clouds.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;

nb::object read(const std::filesystem::path& file) {
  PointCloud cloud;
  {
    nb::gil_scoped_release free;
    cloud = io::read_cloud(file);
  }
  return array_of(cloud);
}

void write(const std::filesystem::path& file, nb::handle array) {
  const PointCloud cloud = cloud_from(array, "cloud");
  nb::gil_scoped_release free;
  io::write_cloud(file, cloud);
}

}  // namespace

NB_MODULE(_ndt, m) {
  m.attr("version") = ndt_version();
  nb::exception<InputError>(m, "InputError", PyExc_ValueError).attr("__doc__") =
      "Input that cannot be used: an unreadable file, a map without a voxel.";
  bind_results(m);
  bind_aligner(m);
  bind_judge(m);
  bind_search(m);
  bind_localizer(m);
  m.def("read_cloud", read, "file"_a,
        nb::sig("def read_cloud(file: str | os.PathLike[str]) -> numpy.typing.NDArray[numpy.floating]"),
        "The points of a PCD, PLY or KITTI file (.bin), (N, 3): float32, or float64 where the file's "
        "coordinates need it.");
  m.def("write_cloud", write, "file"_a, "cloud"_a.none(),
        nb::sig("def write_cloud(file: str | os.PathLike[str], cloud: numpy.typing.NDArray[numpy.floating]) "
                "-> None"),
        "Writes a cloud (N, 3) or (N, 4) in the format that the file's extension says; an existing file is "
        "replaced.");
}

}  // namespace ndt::python
