#include <fmt/format.h>

#include <cmath>

#include "base/json_fields.hpp"
#include "base/metrics.hpp"
#include "base/terminal.hpp"
#include "cli/common/print.hpp"
#include "localize/particle_file.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Doubt;
using initial_pose::Evidence;
using initial_pose::Judgement;
using initial_pose::Method;
using initial_pose::Particle;
using initial_pose::SearchOptions;
using initial_pose::SearchResult;
using json = nlohmann::ordered_json;

constexpr const char* kNextLine = "\n                 ";

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
  const std::size_t particles = answer.result.proposed();
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

/// True unless the prior is a box or the map, which have no --sigma.
bool is_about_a_guess(const SearchAnswer& answer) { return answer.prior_kind == PriorKind::pose; }

std::string spread_text(const Evidence& evidence) {
  if (std::isinf(*evidence.spread_m)) return "an alignment from beside it gave no pose";
  return fmt::format("alignments from beside it end up to {:.2f} m and {:.1f} deg away", *evidence.spread_m,
                     *evidence.spread_rad * 180 / kPi);
}

std::string doubt_text(Doubt doubt, const SearchAnswer& answer) {
  const Evidence& evidence = answer.result.evidence;
  switch (doubt) {
    case Doubt::no_overlap:
      return fmt::format("no point of the scan has a voxel; {}",
                         is_about_a_guess(answer)
                             ? "check --guess, or widen --sigma"
                             : "check that the scan is from this map, or widen the prior");
    case Doubt::not_at_rest:
      return fmt::format("its alignment ended as {}; take more --particles", to_string(evidence.stop));
    case Doubt::interrupted: return "the search was ended before it was finished; allow more time";
    case Doubt::low_nvtl:
      return fmt::format("NVTL {:.4f} is not above {:.4g}; {}", evidence.nvtl,
                         *answer.setting.options.reliable_nvtl,
                         is_about_a_guess(answer)
                             ? "widen --sigma, take more --particles, or check that the scan is from this map"
                             : "take more --particles, or check that the scan is from this map");
    case Doubt::few_matched:
      return fmt::format(
          "{:.1f} % of the scan's points match the map, not more than {:.3g} %; check that the scan is from "
          "it",
          100 * *evidence.matched, 100 * *answer.setting.options.reliable_matched);
    case Doubt::contradicted:
      return fmt::format(
          "the scan looks through {:.1f} % of the map's points in its way, and {:.1f} % of its own stand "
          "before the map's; check that the scan is from it, and that the map is not out of date",
          100 * evidence.sight->seen_through, 100 * evidence.sight->unmapped);
    case Doubt::rival:
      return fmt::format(
          "a place elsewhere is {:.3f} times as good; a nearer --guess with a smaller --sigma leaves fewer",
          evidence.runner_up_ratio);
    case Doubt::free_direction: return "the scan leaves a direction free";
    case Doubt::spread: return spread_text(evidence);
    case Doubt::unknown_scale:
      return fmt::format("no threshold is known for {}; give --reliable-nvtl or --reliable-matched",
                         answer.unknown_scale);
    case Doubt::partly_searched:
      return fmt::format("only {:.1f} % of the prior was searched; give more --timeout-ms",
                         100 * answer.anywhere->coarse.coverage);
  }
  return {};
}

/// ": NVTL 3.0814 is above 2.4, 88.9 % of the points match the map, ...".
std::string grounds(const SearchAnswer& answer) {
  const Evidence& evidence = answer.result.evidence;
  const std::optional<double>& least = answer.setting.options.reliable_nvtl;
  std::string text = ": NVTL " + fmt::format("{:.4f}", evidence.nvtl);
  if (least) text += fmt::format(" is above {:.4g}", *least);
  if (evidence.matched)
    text += fmt::format(", {:.1f} % of the points match the map", 100 * *evidence.matched);
  return text + fmt::format(", {} particles agree", evidence.agreeing);
}

std::string runner_up_text(const SearchResult& result) {
  if (!result.runner_up) return "runner-up        none: no particle ended anywhere else\n";
  const AlignResult& other = result.particles[*result.runner_up].result;
  const Transform& best = result.best_particle().result.map_from_scan;
  const Pose p = principal(derivative_pose(other.map_from_scan));
  return fmt::format(
      "runner-up        NVTL {:.4f}, {:.3f} times as good, {:.2f} m and {:.1f} deg away: x {:.3f}  y {:.3f}  "
      "z {:.3f} m, yaw {:.4f} rad\n",
      other.nvtl, result.evidence.runner_up_ratio, translation_error_m(other.map_from_scan, best),
      rotation_error_rad(other.map_from_scan, best) * 180 / kPi, p.x, p.y, p.z, p.yaw);
}

void put_sight(json& object, const Evidence& evidence) {
  object["seen_through"] = evidence.sight ? json(evidence.sight->seen_through) : json();
  object["unmapped"] = evidence.sight ? json(evidence.sight->unmapped) : json();
}

/// Null of a peer, which says no more than whether it is reliable.
json verdict_json(const SearchAnswer& answer) {
  const bool own = answer.setting.is_own();
  json doubts = json::array();
  for (const Doubt doubt : answer.result.judgement.doubts) doubts.push_back(to_string(doubt));
  json object = {{"verdict", own ? json() : json(to_string(answer.result.judgement.verdict))},
                 {"doubts", own ? json() : std::move(doubts)}};
  put_evidence(object, answer.result.evidence);
  put_sight(object, answer.result.evidence);
  object["agreeing"] = own ? json() : json(answer.result.evidence.agreeing);
  return object;
}

}  // namespace

std::string verdict_text(const SearchAnswer& answer) {
  if (answer.setting.is_own()) return own_verdict(answer);
  const Judgement& judgement = answer.result.judgement;
  std::string text(to_string(judgement.verdict));
  if (judgement.doubts.empty()) text += grounds(answer);
  for (const Doubt doubt : judgement.doubts)
    text += (doubt == judgement.doubts.front() ? ": " : kNextLine) + doubt_text(doubt, answer);
  if (answer.anywhere && answer.anywhere->mounting == Mounting::neither)
    text +=
        std::string(kNextLine) +
        "a level scanner and one upside down were tried: for a tilted map give its up direction by --up, for "
        "a tilted scanner its roll and pitch by --guess";
  return text;
}

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
  const bool about_a_guess = is_about_a_guess(answer);
  j["prior"] = to_string(answer.prior_kind);
  j["prior_xyz_m"] = {answer.prior.mean.x, answer.prior.mean.y, answer.prior.mean.z};
  j["prior_rpy_rad"] = {answer.prior.mean.roll, answer.prior.mean.pitch, answer.prior.mean.yaw};
  j["prior_sigma"] = about_a_guess ? array_of(answer.prior.sigma) : json();
  j["prior_sigma_yaw"] = answer.prior.sigma_yaw_rad ? json(*answer.prior.sigma_yaw_rad) : json();
  if (!about_a_guess) j["prior_xyz_m"] = json();
  j["anywhere"] = answer.anywhere ? to_json(*answer.anywhere) : json();
  j["best"] = named_particle(result, result.best);
  j["reliable"] = result.reliable ? json(*result.reliable) : json();
  j["reliable_nvtl"] = options.reliable_nvtl ? json(*options.reliable_nvtl) : json();
  j["reliable_matched"] = options.reliable_matched ? json(*options.reliable_matched) : json();
  j["runner_up"] = result.runner_up ? named_particle(result, *result.runner_up) : json();
  j["runner_up_ratio"] = result.runner_up ? json(result.evidence.runner_up_ratio) : json();
  j["ambiguous"] = result.judgement.verdict == initial_pose::Verdict::ambiguous;
  j.update(verdict_json(answer));
  j["interrupted"] = result.interrupted ? json(to_string(*result.interrupted)) : json();
  j["build_us"] = answer.build_us;
  j["search_us"] = median(answer.search_us);
  j["stages_us"] = answer.setting.is_own() ? json() : to_json(answer.times);
  j["particles"] = json::array();
  for (const Particle& particle : result.particles) j["particles"].push_back(particle_json(particle));
  return j;
}

std::string to_text(const SearchAnswer& answer) {
  const SearchResult& result = answer.result;
  const bool own = answer.setting.is_own(), found = result.reliable.value_or(false);
  const bool missed = !own && result.judgement.verdict == initial_pose::Verdict::not_found;
  std::string text = fmt::format("implementation   {} ({})\n", answer.implementation, answer.runs_on);
  text += fmt::format("search           {}, seed {}\n", way_of(answer), answer.setting.options.seed);
  if (answer.anywhere) text += to_text(*answer.anywhere);
  text += fmt::format("verdict          {}\n",
                      toned_verdict(verdict_text(answer), found, missed ? Tone::bad : Tone::doubtful));
  if (result.interrupted)
    text += fmt::format("interrupted      {} after {} particles\n", to_string(*result.interrupted),
                        result.particles.size());
  if (!own)
    text += fmt::format("best             particle {} of {}\n", result.best + 1, result.particles.size());
  text += to_text(result.best_particle().result);
  if (!own) text += runner_up_text(result);
  text += fmt::format("build            {:.3f} ms\nsearch           {}\n", answer.build_us / 1000,
                      time_text(answer.search_us));
  return !own && answer.times.size() > 1 ? text + to_text(answer.times) : text;
}

}  // namespace ndt::harness
