// ndt.Aligner: a map, and scans registered against it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "arrays.hpp"
#include "bind.hpp"
#include "ndt/implementations.hpp"
#include "ndt/named_options.hpp"
#include "scores.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;
using Position = std::optional<std::pair<double, double>>;

AlignOptions options_from(const nb::kwargs& given) {
  AlignOptions options;
  if (given.contains("profile")) options = profile_named(value_text(given["profile"], "profile"));
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (name != "profile") set_option(options, name, value_text(value, name));
  }
  return options;
}

PerScan per_scan_from(const Position& regularisation, const std::optional<double>& timeout_ms, bool trace) {
  PerScan out;
  if (regularisation)
    out.regularisation = RegularisationTarget{regularisation->first, regularisation->second};
  if (timeout_ms) {
    if (!(*timeout_ms > 0 && *timeout_ms <= 24 * 3600 * 1000.0))
      throw nb::value_error("timeout_ms: give milliseconds above 0, up to a day");
    out.deadline =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double, std::milli>(*timeout_ms));
  }
  out.trace = trace;
  return out;
}

/// The interpreter's lock is given up wherever the library works.
class MapAligner {
 public:
  MapAligner(nb::handle map, const std::string& implementation, const nb::kwargs& given) {
    const AlignOptions options = options_from(given);
    const PointCloud cloud = cloud_from(map, "map");
    nb::gil_scoped_release free;
    aligner_ = make_aligner(implementation, options);
    info_ = aligner_->set_map(cloud);
  }

  void set_map(nb::handle map) {
    const PointCloud cloud = cloud_from(map, "map");
    nb::gil_scoped_release free;
    info_ = aligner_->set_map(cloud);
  }

  AlignResult align(nb::handle scan, nb::handle guess, const Position& regularisation,
                    const std::optional<double>& timeout_ms, bool trace) {
    const PointCloud cloud = cloud_from(scan, "scan");
    const Transform start = transform_from(guess, "guess");
    const PerScan per_scan = per_scan_from(regularisation, timeout_ms, trace);
    nb::gil_scoped_release free;
    return aligner_->align(cloud, start, per_scan);
  }

  std::vector<AlignResult> align_batch(nb::handle scan, nb::handle guesses, const Position& regularisation,
                                       const std::optional<double>& timeout_ms, bool trace) {
    const PointCloud cloud = cloud_from(scan, "scan");
    const std::vector<Transform> starts = transforms_from(guesses, "guesses");
    const PerScan per_scan = per_scan_from(regularisation, timeout_ms, trace);
    std::vector<AlignResult> results(starts.size());
    nb::gil_scoped_release free;
    aligner_->align_batch(cloud, starts, results, per_scan);
    return results;
  }

  Scores score(nb::handle scan, nb::handle poses) {
    const PointCloud cloud = cloud_from(scan, "scan");
    const std::vector<Transform> at = transforms_from(poses, "poses");
    Scores out{std::vector<Score>(at.size())};
    nb::gil_scoped_release free;
    aligner_->score_batch(cloud, at, out.all);
    return out;
  }

  Evaluation evaluate(nb::handle scan, nb::handle pose, bool point_scores) {
    const PointCloud cloud = cloud_from(scan, "scan");
    const Transform at = transform_from(pose, "pose");
    PerScan per_scan;
    per_scan.point_scores = point_scores;
    nb::gil_scoped_release free;
    return aligner_->evaluate(cloud, at, per_scan);
  }

  nb::dict voxels() const {
    std::vector<VoxelInfo> all;
    {
      nb::gil_scoped_release free;
      all = aligner_->voxels();
    }
    std::vector<std::int64_t> points;
    std::vector<double> means, covariances;
    for (const VoxelInfo& v : all) {
      points.push_back(v.points);
      means.insert(means.end(), {v.mean.x, v.mean.y, v.mean.z});
      const Sym3<double>& c = v.covariance;
      covariances.insert(covariances.end(), {c.xx, c.xy, c.xz, c.xy, c.yy, c.yz, c.xz, c.yz, c.zz});
    }
    nb::dict out;
    out["points"] = new_array(points.data(), {all.size()});
    out["mean"] = new_array(means.data(), {all.size(), 3});
    out["covariance"] = new_array(covariances.data(), {all.size(), 3, 3});
    return out;
  }

  const MapInfo& info() const { return info_; }

 private:
  std::unique_ptr<Aligner> aligner_;
  MapInfo info_;
};

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
           nb::sig("def __init__(self, map: numpy.typing.NDArray[numpy.floating], *, implementation: str = "
                   "'auto', "
                   "**options: str | int | float | tuple[float, ...]) -> None"),
           "Builds the voxel map of a cloud (N, 3) or (N, 4), float32 or float64, in "
           "metres.\n\nimplementation: a name of "
           "implementations(), or auto for the fastest that can run here. options: those of `ndt-bench align "
           "--help` with _ for -, "
           "such as resolution=1.0, neighbours='direct7', threads=4, and profile='autoware' (default), "
           "'textbook' or 'pyramid'.\n\n"
           "Raises TypeError or ValueError naming the argument, InputError for a map without a voxel, "
           "RuntimeError for an "
           "implementation that cannot run here.")
      .def("set_map", &MapAligner::set_map, "map"_a.none(),
           nb::sig("def set_map(self, map: numpy.typing.NDArray[numpy.floating]) -> None"),
           "Replaces the map; after an error the one before is kept.")
      .def("align", &MapAligner::align, "scan"_a.none(), "guess"_a.none(), nb::kw_only(),
           "regularisation"_a = nb::none(), "timeout_ms"_a = nb::none(), "trace"_a = false,
           nb::sig("def align(self, scan: numpy.typing.NDArray[numpy.floating], guess: "
                   "numpy.typing.ArrayLike, *, regularisation: "
                   "tuple[float, float] | None = None, timeout_ms: float | None = None, trace: bool = False) "
                   "-> AlignResult"),
           (std::string("Registers a scan from a guess, map_from_scan as a rigid (4, 4). ") + kPerScan)
               .c_str())
      .def("align_batch", &MapAligner::align_batch, "scan"_a.none(), "guesses"_a.none(), nb::kw_only(),
           "regularisation"_a = nb::none(), "timeout_ms"_a = nb::none(), "trace"_a = false,
           nb::sig("def align_batch(self, scan: numpy.typing.NDArray[numpy.floating], guesses: "
                   "numpy.typing.ArrayLike, *, "
                   "regularisation: tuple[float, float] | None = None, timeout_ms: float | None = None, "
                   "trace: bool = False) -> "
                   "list[AlignResult]"),
           (std::string("Registers a scan from many guesses (N, 4, 4); each result is that of align() from "
                        "its guess. ") +
            kPerScan)
               .c_str())
      .def("score", &MapAligner::score, "scan"_a.none(), "poses"_a.none(),
           nb::sig("def score(self, scan: numpy.typing.NDArray[numpy.floating], poses: "
                   "numpy.typing.ArrayLike) -> Scores"),
           "Scores of a scan at many poses (N, 4, 4).")
      .def("evaluate", &MapAligner::evaluate, "scan"_a.none(), "pose"_a.none(), nb::kw_only(),
           "point_scores"_a = false,
           nb::sig("def evaluate(self, scan: numpy.typing.NDArray[numpy.floating], pose: "
                   "numpy.typing.ArrayLike, *, point_scores: "
                   "bool = False) -> Evaluation"),
           "Score, gradient and Hessian at one pose (4, 4).")
      .def("voxels", &MapAligner::voxels,
           nb::sig("def voxels(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
           "The map's voxels: points (N,), mean (N, 3) [m], covariance (N, 3, 3) [m^2].")
      .def_prop_ro(
          "map_points", [](const MapAligner& a) { return a.info().points; }, "finite points of the map")
      .def_prop_ro(
          "map_voxels", [](const MapAligner& a) { return a.info().voxels; }, "voxels with enough points");
}

}  // namespace ndt::python
