#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {
namespace {

/// The bounds below were chosen on the scenes of preset search_trust (README.md, "Whether to believe it").

/// A place elsewhere that is nearly as good. Of equal houses in a row, one beside the right one reaches 0.95.
constexpr double kRivalRatio = 0.95;
/// Alignments from beside a firm answer come back to it to a centimetre.
constexpr double kSoftM = 0.2;
/// Where fewer particles came to the answer, alignments from beside it must come back to it.
constexpr int kAgreeing = 2;

bool is_soft(const Evidence& e) {
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
  add(Doubt::few_matched, least.matched && e.matched && !(*e.matched > *least.matched));
  add(Doubt::rival, e.runner_up_ratio >= kRivalRatio);
  add(Doubt::free_direction, e.stop == Stop::degenerate);
  add(Doubt::spread, is_soft(e));
  add(Doubt::unknown_scale, !least.nvtl && !least.matched);
  return doubts;
}

}  // namespace

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
