#include <fmt/format.h>

#include "base/json_fields.hpp"
#include "cli/print.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Method;
using initial_pose::Particle;
using initial_pose::SearchOptions;
using initial_pose::SearchResult;
using json = nlohmann::ordered_json;

json pose_json(const Transform& map_from_scan) {
  const Pose p = principal(derivative_pose(map_from_scan));
  return {{"pose_xyz_m", {p.x, p.y, p.z}}, {"pose_rpy_rad", {p.roll, p.pitch, p.yaw}}};
}

json particle_json(const Particle& particle) {
  const Pose& start = particle.start;
  json j = {{"guess_xyz_m", {start.x, start.y, start.z}},
            {"guess_rpy_rad", {start.roll, start.pitch, start.yaw}}};
  j.update(pose_json(particle.result.map_from_scan));
  j["nvtl"] = particle.result.nvtl;
  j["transform_probability"] = particle.result.transform_probability;
  j["stop"] = to_string(particle.result.stop);
  j["iterations"] = particle.result.iterations;
  j["guided"] = particle.guided;
  return j;
}

json named_particle(const SearchResult& result, std::size_t index) {
  json j = {{"particle", index}};
  j.update(particle_json(result.particles.at(index)));
  j["matrix"] = array_of(result.particles[index].result.map_from_scan.m);
  return j;
}

/// "batched_persistent, method tpe: 200 particles, ...".
std::string way_of(const SearchAnswer& answer) {
  const SearchOptions& options = answer.setting.options;
  if (answer.setting.is_own()) return std::string(answer.setting.strategy.schedule);
  const std::size_t particles = answer.result.particles.size();
  std::string text = fmt::format("{}, method {}: ", answer.setting.strategy.name, to_string(options.method));
  if (options.method != Method::tpe) return text + fmt::format("{} particles", particles);
  return text + fmt::format("{} particles, {} of them start-up, then {} at once", options.particles,
                            options.startup, options.at_once);
}

/// A peer says no more than this.
std::string own_verdict(const SearchAnswer& answer) {
  if (!answer.result.reliable) return fmt::format("unknown: {} does not say", answer.implementation);
  return fmt::format("{}, says {}", *answer.result.reliable ? "reliable" : "NOT reliable",
                     answer.implementation);
}

std::string verdict(const SearchAnswer& answer) {
  if (answer.setting.is_own()) return own_verdict(answer);
  const SearchResult& result = answer.result;
  const double nvtl = result.best_particle().result.nvtl;
  const std::optional<double>& least = answer.setting.options.reliable_nvtl;
  const Stop stop = result.best_particle().result.stop;
  if (stop != Stop::converged)
    return fmt::format("NOT reliable: the best particle ended as {}; widen --sigma or take more --particles",
                       to_string(stop));
  if (least && !(nvtl > *least))
    return fmt::format(
        "NOT reliable: NVTL {:.4f} is not above {:g}; widen --sigma, take more --particles, or check that "
        "the scan is from this map",
        nvtl, *least);
  if (result.ambiguous())
    return fmt::format(
        "AMBIGUOUS: a place elsewhere has {:.3f} of the NVTL {:.4f}; a nearer --guess with a smaller --sigma "
        "leaves fewer",
        result.runner_up_ratio(), nvtl);
  if (!least)
    return fmt::format("unknown: no threshold is known for {}; give --reliable-nvtl", answer.unknown_scale);
  return fmt::format("reliable: NVTL {:.4f} is above {:g}", nvtl, *least);
}

std::string runner_up_text(const SearchResult& result) {
  if (!result.runner_up) return "runner-up        none: no particle ended anywhere else\n";
  const AlignResult& other = result.particles[*result.runner_up].result;
  const Transform& best = result.best_particle().result.map_from_scan;
  const Pose p = principal(derivative_pose(other.map_from_scan));
  return fmt::format(
      "runner-up        NVTL {:.4f}, {:.3f} of the best's, {:.2f} m and {:.1f} deg away: x {:.3f}  y {:.3f}  "
      "z {:.3f} "
      "m, yaw "
      "{:.4f} rad\n",
      other.nvtl, result.runner_up_ratio(), translation_error_m(other.map_from_scan, best),
      rotation_error_rad(other.map_from_scan, best) * 180 / kPi, p.x, p.y, p.z, p.yaw);
}

}  // namespace

json to_json(const SearchAnswer& answer) {
  const SearchResult& result = answer.result;
  const SearchOptions& options = answer.setting.options;
  json j;
  j["implementation"] = answer.implementation;
  j["strategy"] = answer.setting.strategy.name;
  j["method"] = answer.setting.is_own() ? answer.setting.strategy.name : to_string(options.method);
  const bool guides =
      !answer.setting.is_own() && options.method == Method::tpe;  // others have no use for these
  j["startup"] = guides ? json(options.startup) : json();
  j["at_once"] = guides ? json(options.at_once) : json();
  j["proposal_candidates"] = guides ? json(options.candidates) : json();
  j["seed"] = options.seed;
  j["prior_xyz_m"] = {answer.prior.mean.x, answer.prior.mean.y, answer.prior.mean.z};
  j["prior_rpy_rad"] = {answer.prior.mean.roll, answer.prior.mean.pitch, answer.prior.mean.yaw};
  j["prior_sigma"] = array_of(answer.prior.sigma);
  j["best"] = named_particle(result, result.best);
  j["reliable"] = result.reliable ? json(*result.reliable) : json();
  j["reliable_nvtl"] = options.reliable_nvtl ? json(*options.reliable_nvtl) : json();
  j["runner_up"] = result.runner_up ? named_particle(result, *result.runner_up) : json();
  j["runner_up_ratio"] = result.runner_up ? json(result.runner_up_ratio()) : json();
  j["ambiguous"] = result.ambiguous();
  j["interrupted"] = result.interrupted ? json(to_string(*result.interrupted)) : json();
  j["build_us"] = answer.build_us;
  j["search_us"] = answer.search_us;
  j["particles"] = json::array();
  for (const Particle& particle : result.particles) j["particles"].push_back(particle_json(particle));
  return j;
}

std::string to_text(const SearchAnswer& answer) {
  const SearchResult& result = answer.result;
  std::string text = fmt::format("implementation   {} ({})\n", answer.implementation, answer.runs_on);
  text += fmt::format("search           {}, seed {}\n", way_of(answer), answer.setting.options.seed);
  text += fmt::format("verdict          {}\n", verdict(answer));
  if (result.interrupted)
    text += fmt::format("interrupted      {} after {} particles\n", to_string(*result.interrupted),
                        result.particles.size());
  const bool own = answer.setting.is_own();
  if (!own)
    text += fmt::format("best             particle {} of {}\n", result.best + 1, result.particles.size());
  text += to_text(result.best_particle().result);
  if (!own) text += runner_up_text(result);
  return text + fmt::format("build            {:.3f} ms\nsearch           {:.3f} ms\n",
                            answer.build_us / 1000, answer.search_us / 1000);
}

}  // namespace ndt::harness
