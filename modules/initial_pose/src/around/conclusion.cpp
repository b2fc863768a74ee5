#include <algorithm>
#include <functional>
#include <numeric>

#include "around/finishing.hpp"
#include "around/search_parts.hpp"

namespace ndt::initial_pose {
namespace {

/// Times that a leader is continued: with the reference's limits each takes it 3 m further.
constexpr int kContinuations = 3;

/// How far beside its answer a search looks, as ndt::localization does (modules/localization/README.md).
constexpr double kBesideM = 1.0;

/// Most ends elsewhere that are looked from.
constexpr int kLooks = 16;

class Conclusion {
 public:
  explicit Conclusion(Batches& batches) : batches_(batches), result_(batches.result) {}

  void run() {
    batches_.clock.begin(SearchPart::finishing);
    finish_leaders();
    find_best();
    batches_.clock.begin(SearchPart::beside);
    look_beside();
    batches_.clock.begin(SearchPart::judging);
    find_runner_up();
    for (const Particle& particle : result_.particles)
      if (const Stop stop = particle.result.stop; stop == Stop::timeout || stop == Stop::cancelled)
        result_.interrupted = stop;
    gather_evidence();
  }

 private:
  Stop stop_of(std::size_t k) const { return result_.particles[k].result.stop; }
  const Transform& end_of(std::size_t k) const { return result_.particles[k].result.map_from_scan; }

  /// Whether another proposal converged in the mode where the k-th has come to.
  bool joins_another(std::size_t k) const {
    return std::ranges::any_of(last_, [&](std::size_t other) {
      return other != last_[k] && stop_of(other) == Stop::converged &&
             !is_another_mode(end_of(other), end_of(last_[k]));
    });
  }

  /// Aligns the leaders on from where the iteration limit ended them, because their scores do not tell where
  /// they would come to rest.
  void finish_leaders() {
    last_.resize(result_.particles.size());
    std::iota(last_.begin(), last_.end(), std::size_t{0});
    std::vector<std::size_t> open = leaders(result_.particles, kLeaders);
    for (int more = 0; more < kContinuations; ++more) {
      std::erase_if(
          open, [&](std::size_t k) { return is_at_rest(result_.particles[last_[k]]) || joins_another(k); });
      if (open.empty() || batches_.ended()) return;
      std::vector<Pose> starts;
      for (const std::size_t k : open) starts.push_back(principal(derivative_pose(end_of(last_[k]))));
      std::size_t next = result_.particles.size();
      batches_.align(starts, Role::continued, false, [&] { look_ahead(); });
      for (const std::size_t k : open) last_[k] = next++;
    }
  }

  void look_ahead() {
    find_best();
    batches_.looks.begin(result_.particles, result_.best);
  }

  void find_best() {
    result_.best = *std::ranges::min_element(last_, [&](std::size_t a, std::size_t b) {
      return is_better(result_.particles[a], result_.particles[b]);
    });
  }

  const Sight& look_from(std::size_t k) { return batches_.looks.from(result_.particles, k); }
  void look_from_answer() {
    if (batches_.looks.possible()) result_.evidence.sight = look_from(result_.best);
  }

  /// Along a free direction nothing is firm, unless what the scan sees holds it.
  bool may_be_firm() const {
    const Stop stop = stop_of(result_.best);
    return stop == Stop::converged || (stop == Stop::degenerate && is_clear(result_.evidence));
  }

  bool is_ruled_out(std::size_t k) {
    return is_clear(result_.evidence) && rules_out(look_from(k), result_.evidence);
  }

  void look_beside() {
    const bool slides = stop_of(result_.best) == Stop::degenerate;
    if ((!slides && stop_of(result_.best) != Stop::converged) || batches_.ended()) return;
    if (slides) look_from_answer();
    if (!may_be_firm()) return;
    const std::size_t first = result_.particles.size();
    batches_.align(poses_around(end_of(result_.best), kBesideM), Role::beside, false, [&] {
      if (!slides) look_from_answer();
    });
    for (std::size_t k = first; k < result_.particles.size(); ++k) last_.push_back(k);
  }

  double goodness(std::size_t k) const {
    return initial_pose::goodness(result_.particles[k].result, result_.best_particle().result);
  }

  /// Counts particles that have not come to rest, too: where none does, as along a wall, nothing tells the
  /// best from them.
  void find_runner_up() {
    std::vector<std::size_t> others;
    for (const std::size_t k : last_)
      if (meets_the_map(result_.particles[k].result) && comparable_nvtl(result_.particles[k].result) >= 0 &&
          is_another_mode(end_of(k), end_of(result_.best)))
        others.push_back(k);
    std::ranges::stable_sort(others, std::greater{}, [&](std::size_t k) { return goodness(k); });
    std::vector<std::size_t> ruled_out;
    for (const std::size_t k : others) {
      const bool is_known = std::ranges::any_of(
          ruled_out, [&](std::size_t other) { return !is_another_mode(end_of(k), end_of(other)); });
      if (is_known) continue;
      const bool may_look = goodness(k) >= kRivalRatio && std::ssize(ruled_out) < kLooks;
      if (!may_look || !is_ruled_out(k)) {
        result_.runner_up = k;
        return;
      }
      ruled_out.push_back(k);
    }
  }

  /// Whether an alignment from beside the answer tells how firm it is. Of a clear one, an end in its mode is
  /// held to what makes a rival elsewhere.
  bool counts_for_spread(std::size_t k) {
    if (!is_clear(result_.evidence) || !meets_the_map(result_.particles[k].result)) return true;
    const Transform& best = end_of(result_.best);
    if (translation_error_m(end_of(k), best) <= kSoftM || is_another_mode(end_of(k), best)) return true;
    return goodness(k) >= kRivalRatio && !is_ruled_out(k);
  }

  void gather_evidence() {
    Evidence& evidence = result_.evidence;
    const AlignResult& best = result_.best_particle().result;
    evidence.stop = best.stop;
    evidence.interrupted = result_.interrupted.has_value();
    evidence.nvtl = best.nvtl;
    if (result_.runner_up) evidence.runner_up_ratio = goodness(*result_.runner_up);
    for (std::size_t k = 0; k < last_.size(); ++k) {
      const Particle& particle = result_.particles[last_[k]];
      if (particle.role == Role::beside) {
        if (counts_for_spread(last_[k])) add_spread(best.map_from_scan, particle.result, evidence);
      } else if (meets_the_map(particle.result) && !is_another_mode(end_of(last_[k]), best.map_from_scan)) {
        ++evidence.agreeing;
      }
    }
    batches_.clock.lap(SearchWork::choose);
    if (may_be_firm() && !evidence.interrupted) {
      PerScan with_points = batches_.per_scan();
      with_points.point_scores = true;
      gather_points(batches_.aligner().evaluate(HeldScan{}, best.map_from_scan, with_points), evidence);
    }
    batches_.clock.lap(SearchWork::collect);
  }

  Batches& batches_;
  SearchResult& result_;
  /// The last particle that continued each proposed one, or itself; then those from beside the answer.
  std::vector<std::size_t> last_;
};

}  // namespace

SearchResult conclude(Batches& batches, const SearchOptions& options) {
  Conclusion(batches).run();
  SearchResult& result = batches.result;
  result.judgement = judge(result.evidence, {options.reliable_nvtl, options.reliable_matched});
  if (result.judgement.verdict != Verdict::unknown)
    result.reliable = result.judgement.verdict == Verdict::reliable;
  batches.clock.lap(SearchWork::take);
  result.times = batches.clock.times();
  return std::move(result);
}

}  // namespace ndt::initial_pose
