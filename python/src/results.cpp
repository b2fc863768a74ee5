// The results of alignments and evaluations.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "ndt/align/aligner.hpp"
#include "scores.hpp"

namespace ndt::python {
namespace {

std::optional<Array<2, 2>> covariance_of(const AlignResult& r) {
  if (!r.laplace_covariance) return std::nullopt;
  const auto& c = *r.laplace_covariance;
  const double numbers[] = {c.xx, c.xy, c.xy, c.yy};
  return Array<2, 2>(new_array(numbers, {2, 2}));
}

std::string text_of(const AlignResult& r) {
  char text[160];
  std::snprintf(text, sizeof(text),
                "<AlignResult: %s after %d iterations at x %.3f y %.3f z %.3f m, nvtl %.3f>",
                to_string(r.stop).data(), r.iterations, r.map_from_scan(0, 3), r.map_from_scan(1, 3),
                r.map_from_scan(2, 3), r.nvtl);
  return text;
}

nb::ndarray<nb::numpy, double> trace_of(const AlignResult& r) {
  std::vector<double> numbers;
  for (const TracePoint& point : r.trace)
    numbers.insert(numbers.end(), point.map_from_scan.m, point.map_from_scan.m + 16);
  return new_array(numbers.data(), {r.trace.size(), 4, 4});
}

void bind_align_result(nb::module_& m) {
  nb::class_<AlignResult>(
      m, "AlignResult",
      "What an alignment ended with. Metres, radians; the order of six is x y z roll pitch yaw.")
      .def_prop_ro(
          "map_from_scan", [](const AlignResult& r) { return matrix_of(r.map_from_scan); }, kNew,
          "the pose, (4, 4)")
      .def_prop_ro(
          "converged", [](const AlignResult& r) { return r.stop == Stop::converged; },
          "the step rule was met, and the scan fixes the pose")
      .def_prop_ro(
          "stop", [](const AlignResult& r) { return to_string(r.stop); },
          "why it ended: converged, max_iterations, no_overlap, degenerate, non_finite, line_search_failed, "
          "timeout")
      .def_ro("iterations", &AlignResult::iterations)
      .def_ro("correspondences", &AlignResult::correspondences, "pairs of point and voxel at the pose")
      .def_ro("dropped_points", &AlignResult::dropped_points, "scan points left out")
      .def_ro("score", &AlignResult::score)
      .def_ro("transform_probability", &AlignResult::transform_probability)
      .def_ro("nvtl", &AlignResult::nvtl, "nearest voxel transformation likelihood")
      .def_prop_ro(
          "hessian", [](const AlignResult& r) { return matrix_of(r.hessian); }, kNew,
          "of the score at the pose, (6, 6)")
      .def_prop_ro("covariance", covariance_of, kNew,
                   "of x and y [m^2] from the Hessian, (2, 2); None if it gives none")
      .def_prop_ro("condition_number", [](const AlignResult& r) { return r.conditioning.condition_number; })
      .def_prop_ro("surface_condition_number",
                   [](const AlignResult& r) { return r.conditioning.surface_condition_number; })
      .def_prop_ro("push_sigmas", [](const AlignResult& r) { return r.conditioning.push_sigmas; })
      .def_ro("finish", &AlignResult::finish, "the last step with finish=\"windows\"; None without one")
      .def_prop_ro(
          "weak_direction",
          [](const AlignResult& r) { return Array<6>(new_array(r.conditioning.weak_direction.v, {6})); },
          kNew, "unit vector along which the scan holds the pose least, rotations in metres, (6,)")
      .def_prop_ro("trace", trace_of, kNew,
                   "the guess and the pose after every iteration, (N, 4, 4); empty unless asked for")
      .def("__repr__", text_of);
}

}  // namespace

void bind_results(nb::module_& m) {
  nb::class_<FinishStep>(m, "FinishStep", "The step that an alignment took last, on overlapping windows.")
      .def_ro("step_m", &FinishStep::step_m, "its length in metres")
      .def_ro("score", &FinishStep::score, "in the windows, before it");
  bind_align_result(m);
  nb::class_<Evaluation>(m, "Evaluation", "Score and derivatives at one pose.")
      .def_ro("score", &Evaluation::score)
      .def_ro("transform_probability", &Evaluation::transform_probability)
      .def_ro("nvtl", &Evaluation::nvtl)
      .def_ro("correspondences", &Evaluation::correspondences)
      .def_ro("points_with_voxels", &Evaluation::points_with_voxels)
      .def_prop_ro(
          "gradient", [](const Evaluation& e) { return Array<6>(new_array(e.gradient.v, {6})); }, kNew,
          "(6,)")
      .def_prop_ro(
          "hessian", [](const Evaluation& e) { return matrix_of(e.hessian); }, kNew, "(6, 6)")
      .def_prop_ro(
          "point_scores",
          [](const Evaluation& e) { return new_array(e.point_scores.data(), {e.point_scores.size()}); }, kNew,
          "largest pair score of every finite point, float32; 0 without a voxel");
  nb::class_<Scores>(m, "Scores", "Of many poses, in their order; each (N,).")
      .def_prop_ro(
          "score", [](const Scores& s) { return s.column(&Score::score); }, kNew)
      .def_prop_ro(
          "transform_probability", [](const Scores& s) { return s.column(&Score::transform_probability); },
          kNew)
      .def_prop_ro(
          "nvtl", [](const Scores& s) { return s.column(&Score::nvtl); }, kNew)
      .def_prop_ro(
          "correspondences", [](const Scores& s) { return s.column(&Score::correspondences); }, kNew);
}

}  // namespace ndt::python
