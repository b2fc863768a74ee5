// ndt.Judge: whether the poses of alignments can be trusted.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "map_aligner.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;
using initial_pose::Judge;
using initial_pose::PoseJudgement;

void make(Judge* self, MapAligner& aligner, nb::handle map) {
  const PointCloud cloud = cloud_from(map, "map");
  nb::gil_scoped_release free;
  new (self) Judge(aligner.aligner(), cloud, aligner.options());
}

PoseJudgement judged(const Judge& self, MapAligner& aligner, nb::handle scan, const AlignResult& result,
                     const std::optional<double>& timeout_ms) {
  const PointCloud cloud = cloud_from(scan, "scan");
  const PerScan per_scan = per_scan_from({}, timeout_ms, false);
  nb::gil_scoped_release free;
  return self(aligner.aligner(), cloud, result, per_scan);
}

std::optional<Array<6, 6>> covariance_of(const PoseJudgement& judgement) {
  if (!judgement.covariance) return std::nullopt;
  return matrix_of(*judgement.covariance);
}

}  // namespace

void bind_judge(nb::module_& m) {
  nb::class_<PoseJudgement>(m, "PoseJudgement",
                            "Whether a pose can be trusted, as `ndt-bench align` prints it.")
      .def_prop_ro(
          "ok", [](const PoseJudgement& j) { return j.ok(); }, "nothing speaks against the pose")
      .def_prop_ro(
          "verdict", [](const PoseJudgement& j) { return j.ok() ? "ok" : "doubtful"; }, "ok or doubtful")
      .def_ro("reasons", &PoseJudgement::reasons, "why it is doubtful, the gravest first; empty if it is ok")
      .def_prop_ro("covariance", covariance_of, kNew,
                   "of x y z roll pitch yaw [m, rad] in the order of ROS, (6, 6): x and y from the Hessian "
                   "with Autoware's floor, the rest as Autoware publishes it; None if the result has none")
      .def("__repr__", [](const PoseJudgement& j) { return "<PoseJudgement: " + to_text(j) + ">"; });
  nb::class_<Judge>(m, "Judge",
                    "Judges poses in the map of an aligner. Threads may share it; each brings its aligner.")
      .def("__init__", make, "aligner"_a, "map"_a.none(),
           nb::sig("def __init__(self, aligner: Aligner, map: numpy.typing.NDArray[numpy.floating]) -> None"),
           "Scores the map's own points and copies them, once for all poses. map: what the aligner's map was "
           "made of, (N, 3) or (N, 4), on the host.\n\nRaises TypeError or ValueError naming the argument.")
      .def(
          "__call__", judged, "aligner"_a, "scan"_a.none(), "result"_a, nb::kw_only(),
          "timeout_ms"_a = nb::none(),
          nb::sig("def __call__(self, aligner: Aligner, scan: numpy.typing.NDArray[numpy.floating], result: "
                  "AlignResult, *, timeout_ms: float | None = None) -> PoseJudgement"),
          "Judges a result of aligner.align() with this scan, (N, 3) or (N, 4) on the host, by six more "
          "alignments from beside it. timeout_ms: a look that takes longer is ended, and a reason to doubt.");
}

}  // namespace ndt::python
