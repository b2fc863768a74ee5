// ndt.Aligner: a map, and scans registered against it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "map_aligner.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;
void bind_implementations(nb::module_& m) {
  nb::class_<Implementation>(m, "Implementation", "An implementation of the one algorithm.")
      .def_prop_ro("name", [](const Implementation& i) { return std::string(i.name); })
      .def_prop_ro("runs_on", [](const Implementation& i) { return std::string(i.runs_on); })
      .def_prop_ro(
          "unavailable_reason", [](const Implementation& i) { return i.unavailable_reason(); },
          "why it cannot run on this machine; empty: it can");
  m.def(
      "implementations",
      [] {
        const auto all = implementations();
        return std::vector<Implementation>(all.begin(), all.end());
      },
      "All implementations in this build, the reference first.");
  m.def(
      "auto_implementation", [] { return std::string(auto_implementation().name); },
      "The name of what \"auto\" takes: the fastest that can run here.");
}

}  // namespace

std::string value_text(nb::handle value, const std::string& name) {
  if (value.is_none()) throw nb::type_error((name + ": give a value, not None").c_str());
  if (nb::isinstance<nb::bool_>(value))
    throw nb::type_error((name + ": give a number or a name, not a bool").c_str());
  if (!nb::isinstance<nb::list>(value) && !nb::isinstance<nb::tuple>(value))
    return nb::cast<std::string>(nb::str(value));
  std::string out;
  for (const nb::handle part : value) out += (out.empty() ? "" : ",") + nb::cast<std::string>(nb::str(part));
  return out;
}

void bind_aligner(nb::module_& m) {
  bind_implementations(m);
  const char* kPerScan =
      "regularisation: x and y in the map [m] that pull the pose along the vehicle's heading; timeout_ms: "
      "end with the best "
      "pose so far after this time; trace: keep the pose of every iteration.";
  nb::class_<MapAligner>(m, "Aligner", "A map, and scans registered against it. For one thread at a time.")
      .def(nb::init<nb::handle, const std::string&, const nb::kwargs&>(), "map"_a.none(), nb::kw_only(),
           "implementation"_a = "auto", "options"_a,
           nb::sig("def __init__(self, map: numpy.typing.NDArray[numpy.floating] | ndt.cuda_array.CudaArray, "
                   "*, implementation: str = "
                   "'auto', "
                   "**options: str | int | float | tuple[float, ...]) -> None"),
           "Builds the voxel map of a cloud (N, 3) or (N, 4), float32 or float64, in "
           "metres.\n\nimplementation: a name of "
           "implementations(), or auto for that of auto_implementation(). options: those of `ndt-bench align "
           "--help` with _ for -, "
           "such as resolution=1.0, neighbours='direct7', threads=4, and profile='autoware' (default), "
           "'textbook', 'pyramid' or 'windows'.\n\n"
           "Raises TypeError or ValueError naming the argument, InputError for a map without a voxel, "
           "RuntimeError for an "
           "implementation that cannot run here.")
      .def("set_map", &MapAligner::set_map, "map"_a.none(),
           nb::sig("def set_map(self, map: numpy.typing.NDArray[numpy.floating] | ndt.cuda_array.CudaArray) "
                   "-> None"),
           "Replaces the map; after an error the one before is kept.")
      .def(
          "align", &MapAligner::align, "scan"_a.none(), "guess"_a.none(), nb::kw_only(),
          "regularisation"_a = nb::none(), "timeout_ms"_a = nb::none(), "trace"_a = false,
          nb::sig(
              "def align(self, scan: numpy.typing.NDArray[numpy.floating] | ndt.cuda_array.CudaArray, guess: "
              "numpy.typing.ArrayLike, *, regularisation: "
              "tuple[float, float] | None = None, timeout_ms: float | None = None, trace: bool = False) "
              "-> AlignResult"),
          (std::string("Registers a scan from a guess, map_from_scan as a rigid (4, 4). ") + kPerScan)
              .c_str())
      .def("align_batch", &MapAligner::align_batch, "scan"_a.none(), "guesses"_a.none(), nb::kw_only(),
           "regularisation"_a = nb::none(), "timeout_ms"_a = nb::none(), "trace"_a = false,
           nb::sig("def align_batch(self, scan: numpy.typing.NDArray[numpy.floating] | "
                   "ndt.cuda_array.CudaArray, guesses: "
                   "numpy.typing.ArrayLike, *, "
                   "regularisation: tuple[float, float] | None = None, timeout_ms: float | None = None, "
                   "trace: bool = False) -> "
                   "list[AlignResult]"),
           (std::string("Registers a scan from many guesses (N, 4, 4); each result is that of align() from "
                        "its guess. ") +
            kPerScan)
               .c_str())
      .def(
          "score", &MapAligner::score, "scan"_a.none(), "poses"_a.none(),
          nb::sig(
              "def score(self, scan: numpy.typing.NDArray[numpy.floating] | ndt.cuda_array.CudaArray, poses: "
              "numpy.typing.ArrayLike) -> Scores"),
          "Scores of a scan at many poses (N, 4, 4).")
      .def("evaluate", &MapAligner::evaluate, "scan"_a.none(), "pose"_a.none(), nb::kw_only(),
           "point_scores"_a = false,
           nb::sig("def evaluate(self, scan: numpy.typing.NDArray[numpy.floating] | "
                   "ndt.cuda_array.CudaArray, pose: "
                   "numpy.typing.ArrayLike, *, point_scores: "
                   "bool = False) -> Evaluation"),
           "Score, gradient and Hessian at one pose (4, 4).")
      .def("expect_scan", &MapAligner::expect_scan,
           "Announces a scan that comes within milliseconds: after a rest its alignment then begins sooner.")
      .def("voxels", &MapAligner::voxels,
           nb::sig("def voxels(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
           "The map's voxels: points (N,), mean (N, 3) [m], covariance (N, 3, 3) [m^2].")
      .def_prop_ro(
          "map_points", [](const MapAligner& a) { return a.info().points; }, "finite points of the map")
      .def_prop_ro(
          "map_voxels", [](const MapAligner& a) { return a.info().voxels; }, "voxels with enough points");
}

}  // namespace ndt::python
