#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {
namespace {

/// The bounds below were chosen on the scenes of preset search_trust (README.md, "Whether to believe it").

/// The bounds of contradictions of scan and map. Right poses in recordings have up to 0.04; right poses with
/// a free direction have hardly any.
constexpr double kClear = 0.04, kClearThoughFree = 0.01, kContradicted = 0.1;
/// The least share in view: if half of the scan meets nothing of the map, little can be contradicted.
constexpr double kInView = 0.5;
/// A contradiction that is larger than the answer's by this much rules an end of the search out.
constexpr double kRuledOut = 0.02;
/// The share of the bound of matched points that is enough for a clear answer, if a bound of the NVTL is
/// known.
constexpr double kClearMatched = 0.85;
/// The spread allowed beside a clear answer: a found pose may be as far from the truth.
constexpr double kClearSoftM = 0.5;
/// Number of particles at the answer: if fewer came, alignments from beside it must come back to it.
constexpr int kAgreeing = 2;

/// Alignments that begin turned by 0.026 rad come back to a heading that is held within this; where nothing
/// holds it, they stay.
constexpr double kSoftRad = 0.007;
/// Wrong poses along a corridor are held within 0.17 m.
constexpr double kFirmM = 0.03;

bool is_soft(const Evidence& e) {
  if (e.heading_rad.value_or(0) > kSoftRad) return true;
  if (is_clear(e)) return e.spread_in_mode_m > kClearSoftM;
  return e.spread_m && (e.spread_in_mode_m > kSoftM || (*e.spread_m > kSoftM && e.agreeing < kAgreeing));
}

std::vector<Doubt> doubts_of(const Evidence& e, const ReliableBounds& least) {
  std::vector<Doubt> doubts;
  const auto add = [&](Doubt doubt, bool holds) {
    if (holds) doubts.push_back(doubt);
  };
  add(Doubt::no_overlap, e.stop == Stop::no_overlap);
  add(Doubt::not_at_rest,
      e.stop != Stop::no_overlap && e.stop != Stop::converged && e.stop != Stop::degenerate);
  add(Doubt::interrupted, e.interrupted);
  add(Doubt::low_nvtl, least.nvtl && !(e.nvtl > *least.nvtl));
  const double enough = is_clear(e) && least.nvtl ? kClearMatched : 1;
  add(Doubt::few_matched, least.matched && e.matched && !(*e.matched > enough * *least.matched));
  add(Doubt::contradicted, e.sight && e.sight->contradiction() > kContradicted);
  add(Doubt::rival, e.runner_up_ratio >= kRivalRatio);
  add(Doubt::free_direction, e.stop == Stop::degenerate && !is_clear(e));
  add(Doubt::spread, is_soft(e));
  add(Doubt::unknown_scale, !least.nvtl && !least.matched);
  return doubts;
}

}  // namespace

bool is_clear(const Evidence& evidence) {
  const double most = evidence.stop == Stop::converged ? kClear : kClearThoughFree;
  return evidence.sight && evidence.sight->in_view >= kInView && evidence.sight->contradiction() <= most;
}

bool is_firm(const Evidence& e) {
  return e.spread_m && *e.spread_m <= kFirmM && e.heading_rad && *e.heading_rad <= kSoftRad;
}

bool rules_out(const Sight& other, const Evidence& answer) {
  return is_clear(answer) && other.contradiction() > answer.sight->contradiction() + kRuledOut;
}

Verdict verdict_of(Doubt doubt) {
  if (doubt < Doubt::rival) return Verdict::not_found;
  return doubt < Doubt::unknown_scale ? Verdict::ambiguous : Verdict::unknown;
}

std::string doubt_names(const Judgement& judgement) {
  std::string names;
  for (const Doubt doubt : judgement.doubts) names.append(names.empty() ? "" : ", ").append(to_string(doubt));
  return names;
}

void add_doubt(Judgement& judgement, Doubt doubt) {
  judgement.doubts.push_back(doubt);
  judgement.verdict = verdict_of(judgement.doubts.front());
}

Judgement judge(const Evidence& evidence, const ReliableBounds& bounds) {
  Judgement judgement{Verdict::reliable, doubts_of(evidence, bounds)};
  if (!judgement.doubts.empty()) judgement.verdict = verdict_of(judgement.doubts.front());
  return judgement;
}

}  // namespace ndt::initial_pose
