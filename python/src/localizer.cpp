// ndt.Localizer: a vehicle followed through a map, scan after scan.
#include "ndt/localization/localizer.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "map_aligner.hpp"
#include "ndt/initial_pose/search_options.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;
using localization::Localizer;
using localization::LocalizerOptions;
using localization::PreparedScan;
using localization::ScanReport;

/// As ndt-bench localize has them: thresholds follow from the aligner's map where none are given.
LocalizerOptions options_for(const MapAligner& aligner, const nb::kwargs& given) {
  LocalizerOptions options;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (!set_named(localization::kLocalizerOptions, options, name, value_text(value, name)))
      throw nb::value_error(("unknown option '" + name + "'; ndt-bench localize --help lists them").c_str());
  }
  const initial_pose::ReliableBounds bounds = reliable_bounds(aligner.own_scores(), aligner.options());
  take_bounds(options, bounds);
  options.max_iterations = aligner.options().max_iterations;
  return options;
}

void make(Localizer* self, MapAligner& aligner, const nb::kwargs& given) {
  new (self) Localizer(aligner.aligner(), options_for(aligner, given));
}

using Times = nb::ndarray<const float, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

PointCloud timed_cloud(nb::handle scan, const std::optional<Times>& times) {
  PointCloud cloud = cloud_from(scan, "scan");
  if (!times) return cloud;
  if (times->size() != cloud.size())
    throw nb::value_error(("times: " + std::to_string(times->size()) + " for " +
                           std::to_string(cloud.size()) + " points; give one for each")
                              .c_str());
  cloud.times.assign(times->data(), times->data() + times->size());
  return cloud;
}

ScanReport localize(Localizer& self, double stamp_s, nb::handle scan, const std::optional<Times>& times) {
  const PointCloud cloud = timed_cloud(scan, times);
  nb::gil_scoped_release free;
  return self.localize(stamp_s, cloud);
}

using Box = std::optional<std::array<double, 6>>;

std::optional<CropBox> box_of(const Box& b) {
  if (!b) return std::nullopt;
  return CropBox{{(*b)[0], (*b)[1], (*b)[2]}, {(*b)[3], (*b)[4], (*b)[5]}};
}

PreparedScan prepare(Localizer& self, double stamp_s, nb::handle scan, const std::optional<Times>& times,
                     std::optional<double> min_range, std::optional<double> max_range, const Box& crop_box,
                     const Box& remove_box, std::optional<double> voxel_leaf,
                     std::optional<std::int64_t> sample, std::uint64_t seed) {
  const PointCloud cloud = timed_cloud(scan, times);
  const ScanPreparation filters{.min_range_m = min_range,
                                .max_range_m = max_range,
                                .crop_box = box_of(crop_box),
                                .remove_box = box_of(remove_box),
                                .voxel_leaf_m = voxel_leaf,
                                .sample_points = sample,
                                .sample_seed = seed};
  nb::gil_scoped_release free;
  validate(filters);
  return self.prepare(stamp_s, cloud, filters);
}

ScanReport localize_prepared(Localizer& self, double stamp_s, const PreparedScan& scan) {
  return self.localize_prepared(stamp_s, scan);
}

using Three = std::array<double, 3>;

Vec3<double> vector_of(const Three& xyz) { return {xyz[0], xyz[1], xyz[2]}; }

void add_imu(Localizer& self, double stamp_s, const Three& angular_velocity, const Three& acceleration) {
  self.add_imu({stamp_s, vector_of(angular_velocity), vector_of(acceleration)});
}

void add_twist(Localizer& self, double stamp_s, const Three& linear, const Three& angular) {
  self.add_twist({stamp_s, {vector_of(linear), vector_of(angular)}});
}

std::optional<Array<6, 6>> covariance_of(const ScanReport& r) {
  if (!r.covariance) return std::nullopt;
  return matrix_of(*r.covariance);
}

}  // namespace

void bind_localizer(nb::module_& m) {
  nb::class_<ScanReport>(m, "ScanReport", "What a localizer says about a scan.")
      .def_ro("stamp", &ScanReport::stamp_s, "its time [s]")
      .def_prop_ro(
          "map_from_scan", [](const ScanReport& r) { return matrix_of(r.map_from_scan); }, kNew, "(4, 4)")
      .def_prop_ro(
          "verdict", [](const ScanReport& r) { return std::string(to_string(r.verdict)); },
          "ok, doubtful or lost")
      .def_prop_ro(
          "reason", [](const ScanReport& r) { return std::string(to_string(r.reason)); }, "none if it is ok")
      .def_prop_ro(
          "source", [](const ScanReport& r) { return std::string(to_string(r.source)); },
          "where the pose comes from: aligned, searched, predicted")
      .def_prop_ro("covariance", covariance_of, kNew,
                   "(6, 6) of x y z roll pitch yaw; None for a predicted pose")
      .def_ro("aligned", &ScanReport::aligned, "the alignment; None if there was none")
      .def_prop_ro("messages", [](const ScanReport& r) { return r.diagnosis.messages; });
  nb::class_<PreparedScan>(m, "PreparedScan", "A scan on its way from prepare() to localize_prepared().")
      .def_prop_ro(
          "points", [](const PreparedScan& p) { return array_of(p.scan.prepared.cloud); },
          "the points that are left, (N, 3)")
      .def_prop_ro(
          "no_returns", [](const PreparedScan& p) { return p.scan.no_returns.total(); },
          "points that were left out before the filters")
      .def_prop_ro(
          "deskewed", [](const PreparedScan& p) { return p.deskew.done; },
          "its points were moved to the stamp");
  nb::class_<Localizer>(m, "Localizer",
                        "Follows a vehicle through an aligner's map: predicts, aligns, judges, and "
                        "searches where it is lost. For one thread at a time.")
      .def("__init__", make, "aligner"_a, "options"_a, nb::keep_alive<1, 2>(),
           nb::sig("def __init__(self, aligner: Aligner, **options: str | int | float) -> None"),
           "options: those of `ndt-bench localize --help` under Localizer with _ for -, such as "
           "covariance='laplace'.")
      .def(
          "start_at", [](Localizer& self, nb::handle pose) { self.start_at(transform_from(pose, "pose")); },
          "pose"_a.none(), nb::sig("def start_at(self, pose: numpy.typing.ArrayLike) -> None"),
          "Begins anew: the next scan is expected at this pose (4, 4).")
      .def("add_imu", add_imu, "stamp"_a, "angular_velocity"_a, "acceleration"_a,
           nb::sig("def add_imu(self, stamp: float, angular_velocity: collections.abc.Sequence[float], "
                   "acceleration: "
                   "collections.abc.Sequence[float]) -> None"),
           "For prediction='imu', in the order of the times: rad/s and m/s², gravity's reaction included, in "
           "the "
           "scanner's axes.")
      .def("add_twist", add_twist, "stamp"_a, "linear"_a, "angular"_a,
           nb::sig("def add_twist(self, stamp: float, linear: collections.abc.Sequence[float], angular: "
                   "collections.abc.Sequence[float]) -> None"),
           "For prediction='odometry' or 'imu', in the order of the times: m/s and rad/s of the scanner, in "
           "its "
           "own frame.")
      .def(
          "add_odometry",
          [](Localizer& self, double stamp_s, nb::handle pose) {
            self.add_odometry({stamp_s, transform_from(pose, "pose")});
          },
          "stamp"_a, "pose"_a.none(),
          nb::sig("def add_odometry(self, stamp: float, pose: numpy.typing.ArrayLike) -> None"),
          "For prediction='odometry', in the order of the times: odometry_from_scan (4, 4).")
      .def("expect_scan", &Localizer::expect_scan, nb::call_guard<nb::gil_scoped_release>(),
           "Announces the next scan, when its first packet arrives: see Aligner.expect_scan().")
      .def("localize", localize, "stamp"_a, "scan"_a.none(), "times"_a = nb::none(),
           nb::sig("def localize(self, stamp: float, scan: numpy.typing.NDArray[numpy.floating], times: "
                   "numpy.typing.NDArray[numpy.float32] | None = None) -> ScanReport"),
           "The next scan, at a time [s] after the last one's. times: when its points were measured, float32 "
           "(N,) in seconds after the stamp; they are moved to the stamp by the motion before.")
      .def("prepare", prepare, "stamp"_a, "scan"_a.none(), "times"_a = nb::none(), nb::kw_only(),
           "min_range"_a = nb::none(), "max_range"_a = nb::none(), "crop_box"_a = nb::none(),
           "remove_box"_a = nb::none(), "voxel_leaf"_a = nb::none(), "sample"_a = nb::none(), "seed"_a = 1,
           nb::sig("def prepare(self, stamp: float, scan: numpy.typing.NDArray[numpy.floating], times: "
                   "numpy.typing.NDArray[numpy.float32] | None = None, *, min_range: float | None = None, "
                   "max_range: float | None = None, crop_box: collections.abc.Sequence[float] | None = None, "
                   "remove_box: collections.abc.Sequence[float] | None = None, voxel_leaf: float | None = "
                   "None, sample: int | None = None, seed: int = 1) -> PreparedScan"),
           "Leaves out no-returns, moves points with times to the stamp, filters, and has the aligner hold "
           "the scan. The filters are those of `ndt-bench localize --help`, without scan-; a box is x0, y0, "
           "z0, x1, y1, z1.")
      .def("localize_prepared", localize_prepared, "stamp"_a, "scan"_a,
           nb::call_guard<nb::gil_scoped_release>(),
           "Localises a scan of prepare(); nothing else may use the aligner in between.");
}

}  // namespace ndt::python