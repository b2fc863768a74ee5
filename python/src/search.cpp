// ndt.initial_pose: where in the map was this scan taken?
#include "ndt/initial_pose/search.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "bind.hpp"
#include "ndt/implementations.hpp"
#include "ndt/named_options.hpp"

namespace ndt::python {
namespace {

using namespace nb::literals;
using initial_pose::SearchOptions;
using initial_pose::SearchResult;

struct Plan {
  AlignOptions alignments;
  SearchOptions search;
};

/// As ndt-bench initial-pose has it.
AlignOptions base_of(const nb::kwargs& given) {
  const std::string profile = given.contains("profile") ? value_text(given["profile"], "profile") : "pyramid";
  return AlignOptions::of_a_search(value_from<Profile>("profile", profile));
}

Plan plan_of(const nb::kwargs& given) {
  Plan plan{base_of(given), {}};
  bool has_startup = false;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key), text = value_text(value, name);
    has_startup |= name == "startup";
    if (name == "profile" || set_named(initial_pose::kSearchOptions, plan.search, name, text)) continue;
    set_option(plan.alignments, name, text);
  }
  SearchOptions& search = plan.search;
  if (search.method == initial_pose::Method::anywhere)
    throw nb::value_error("method: anywhere is ndt-bench initial-pose's; choose from tpe, random, grid");
  if (!has_startup) search.startup = std::min(search.startup, search.particles);
  validate(search);
  return plan;
}

/// Takes for "auto" the first implementation made for the strategy that can run here.
std::unique_ptr<Aligner> aligner_for(const initial_pose::Strategy& strategy, const std::string& name,
                                     const AlignOptions& options) {
  if (name != "auto") {
    for (const Implementation& entry : implementations())
      if (entry.name == name && !is_able(entry, strategy))
        throw std::invalid_argument("implementation: " + name +
                                    " aligns one pose at a time; a search takes one that batches");
    return make_aligner(name, options);
  }
  if (const Implementation* taken = first_suited(implementations(), strategy)) return taken->make(options);
  throw std::runtime_error("auto: no implementation can run on this machine");
}

SearchResult search(nb::handle map, nb::handle scan, nb::handle guess, const std::array<double, 5>& sigma,
                    std::optional<double> sigma_yaw, const std::string& implementation,
                    const nb::kwargs& given) {
  Plan plan = plan_of(given);
  const PointCloud map_cloud = cloud_from(map, "map"), scan_cloud = cloud_from(scan, "scan");
  initial_pose::PosePrior prior{principal(derivative_pose(transform_from(guess, "guess"))), {}, sigma_yaw};
  std::copy(sigma.begin(), sigma.end(), prior.sigma);
  nb::gil_scoped_release free;
  require_valid(prior);
  const initial_pose::Strategy& strategy = initial_pose::default_strategy();
  const std::unique_ptr<Aligner> aligner = aligner_for(strategy, implementation, plan.alignments);
  aligner->set_map(map_cloud);
  const initial_pose::ReliableBounds bounds =
      reliable_bounds(initial_pose::own_scores(*aligner, map_cloud), plan.alignments);
  if (!plan.search.reliable_nvtl) plan.search.reliable_nvtl = bounds.nvtl;
  if (!plan.search.reliable_matched) plan.search.reliable_matched = bounds.matched;
  const initial_pose::SightLines sight_lines(map_cloud);
  return initial_pose::search(*aligner, scan_cloud, prior, strategy, plan.search, {}, {}, &sight_lines);
}

std::vector<std::string> doubts_of(const SearchResult& r) {
  std::vector<std::string> out;
  for (const initial_pose::Doubt doubt : r.judgement.doubts) out.emplace_back(to_string(doubt));
  return out;
}

nb::ndarray<nb::numpy, double> poses_of(const SearchResult& r) {
  std::vector<double> numbers;
  for (const initial_pose::Particle& p : r.particles)
    numbers.insert(numbers.end(), p.result.map_from_scan.m, p.result.map_from_scan.m + 16);
  return new_array(numbers.data(), {r.particles.size(), 4, 4});
}

nb::ndarray<nb::numpy, double> nvtl_of(const SearchResult& r) {
  std::vector<double> numbers;
  for (const initial_pose::Particle& p : r.particles) numbers.push_back(p.result.nvtl);
  return new_array(numbers.data(), {numbers.size()});
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<SearchResult>(m, "SearchResult", "Where a search ended, and how far that can be trusted.")
      .def_prop_ro(
          "map_from_scan",
          [](const SearchResult& r) { return matrix_of(r.best_particle().result.map_from_scan); }, kNew,
          "(4, 4)")
      .def_prop_ro(
          "best", [](const SearchResult& r) { return r.best_particle().result; },
          "the best particle's alignment")
      .def_ro("reliable", &SearchResult::reliable, "None: nothing is known for the scale of the scores")
      .def_prop_ro(
          "verdict", [](const SearchResult& r) { return std::string(to_string(r.judgement.verdict)); },
          "reliable, unknown, ambiguous, not_found")
      .def_prop_ro("doubts", doubts_of, "what speaks against the pose")
      .def_prop_ro("poses", poses_of, kNew, "where every particle ended, (N, 4, 4)")
      .def_prop_ro("nvtl", nvtl_of, kNew, "of every particle, (N,)");
  m.def("initial_pose", search, "map"_a.none(), "scan"_a.none(), "guess"_a.none(), nb::kw_only(), "sigma"_a,
        "sigma_yaw"_a = nb::none(), "implementation"_a = "auto", "options"_a,
        nb::sig(
            "def initial_pose(map: numpy.typing.NDArray[numpy.floating], scan: "
            "numpy.typing.NDArray[numpy.floating], guess: "
            "numpy.typing.ArrayLike, *, sigma: tuple[float, float, float, float, float], sigma_yaw: float | "
            "None = None, implementation: "
            "str = 'auto', "
            "**options: str | int | float | tuple[float, ...]) -> SearchResult"),
        "Searches for the pose of a scan around a rough place.\n\nguess: the place as a "
        "rigid (4, 4); sigma: standard "
        "deviations about it, x y z [m], roll pitch [rad]; sigma_yaw: that of the heading [rad], any heading "
        "if "
        "None. options: those of `ndt-bench initial-pose --help` "
        "with _ for -, such as "
        "particles=200, seed=0, method='tpe', 'random' or 'grid', and those of Aligner; the profile is "
        "'pyramid' unless given.");
}

}  // namespace ndt::python
