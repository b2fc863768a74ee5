#include "ndt/localization/localizer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/localization/beside.hpp"
#include "ndt/localization/covariance.hpp"
#include "ndt/localization/deskew.hpp"
#include "ndt/localization/diagnosis.hpp"
#include "ndt/localization/gates.hpp"
#include "ndt/localization/gnss_gate.hpp"
#include "ndt/localization/no_ground.hpp"
#include "ndt/localization/pose_buffer.hpp"
#include "ndt/localization/prediction.hpp"
#include "ndt/localization/recovery.hpp"
#include "ndt/localization/sight_watch.hpp"

namespace ndt::localization {
namespace {

/// Checked before the first member takes them.
const LocalizerOptions& valid(const LocalizerOptions& options) {
  validate(options);
  return options;
}

/// The fix at a scan's time; one that is held since before may be farther off.
Fix fix_of(const PoseBuffer::Found& found, const LocalizerOptions& options) {
  Fix fix{(*found.pose)(0, 3), (*found.pose)(1, 3), covariance_of(found.covariance, options)};
  fix.covariance.xx += found.moved_m * found.moved_m;
  fix.covariance.yy += found.moved_m * found.moved_m;
  return fix;
}

/// The map alone fixes the pose in all directions.
bool is_firm(const ScanReport& report) {
  if (report.source == PoseSource::predicted) return false;
  const AlignResult& result =
      report.source == PoseSource::searched ? report.recovery->result : *report.aligned;
  const bool held = report.source == PoseSource::aligned && report.turned && holds(*report.turned);
  return (result.stop == Stop::converged || held) &&
         (report.verdict == Verdict::ok || report.reason == Reason::unproven);
}

}  // namespace

/// The members that its header hides.
class Localizer::State {
 public:
  State(Aligner& tracker, const LocalizerOptions& options, Searcher searcher);

  void start_at(const Transform& map_from_scan);
  void start_by_search(const initial_pose::PosePrior& prior);
  void add_odometry(const StampedPose& pose) { predictor_.add_odometry(pose); }
  void add_twist(const StampedTwist& twist) { predictor_.add_twist(twist); }
  void add_imu(const StampedImu& imu) { predictor_.add_imu(imu); }
  void add_gnss(const StampedPose& pose) { gnss_.push(pose); }
  void use_sight_lines(std::shared_ptr<const initial_pose::SightLines> lines) {
    sight_.use(std::move(lines));
  }
  void expect_scan() { tracker_->expect_scan(); }
  std::span<Point> scan_memory(std::size_t points) { return tracker_->scan_memory(points); }
  PreparedScan prepare(double stamp_s, const Scan& raw, const ScanPreparation& filters);
  ScanReport localize(double stamp_s, const PreparedScan& scan, const PerScan& limits,
                      const PassedStage& passed);

 private:
  /// One scan on its way.
  struct Frame {
    const PointCloud* scan;
    Scan held;  ///< the same, as the tracker gets it
    PerScan per_scan;
    const PassedStage& passed;
    ScanReport report{};
    std::optional<Fix> fix{};         ///< the GNSS's at its time, used or not
    PointCloud moved_again{};         ///< the points, if the pose found tells another motion than the assumed
    std::optional<Twist> velocity{};  ///< by which they were moved then

    /// The tracker has got another scan.
    void let_go() { held = Scan(*scan); }
    void end(Stage stage) const {
      if (passed) passed(stage);
    }
  };

  void begin();
  void require_next(double stamp_s) const;
  bool usable(const PointCloud& scan, ScanReport& report) const;
  void compare_bytes(const PointCloud& scan, ScanReport& report);
  void regularise(Frame& frame);
  void locate(Frame& frame);
  void doubt_sweep(ScanReport& report) const;
  void align(Frame& frame);
  void align_deskewed(Frame& frame);
  std::optional<Spread> look_beside(Frame& frame, const Transform& answer, bool wants_covariance);
  void search(Frame& frame);
  void accept_found(Frame& frame);
  void settle(Frame& frame);
  void teach_gate(const Frame& frame, double gap_s);

  Aligner* tracker_;
  LocalizerOptions options_;
  Searcher searcher_;
  Predictor predictor_;
  PoseBuffer gnss_;
  GnssGate gate_;
  Recovery recovery_;
  SightWatch sight_;
  std::optional<double> last_stamp_s_;
  std::vector<Offset> spread_places_;
  std::size_t most_poses_;  ///< of one call with a scan
  bool started_ = false, search_first_ = false;
  int rejected_ = 0, same_bytes_ = 0;
  std::vector<Point> last_points_;
};

Localizer::State::State(Aligner& tracker, const LocalizerOptions& options, Searcher searcher)
    : tracker_(&tracker),
      options_(valid(options)),
      searcher_(std::move(searcher)),
      predictor_(options),
      gnss_(options.gnss_age_s.value_or(options.buffer_age_s),
            options.gnss_jump_m.value_or(options.buffer_jump_m)),
      recovery_(options),
      sight_(options),
      spread_places_(places_around(options.spread_neighbours, options.spread_offset_m)),
      most_poses_(std::max(options.offsets.size() + spread_places_.size(), kTurnedPlaces)) {}

void Localizer::State::start_at(const Transform& map_from_scan) {
  require_rigid(map_from_scan, "start_at");
  predictor_.start_at(map_from_scan);
  recovery_.reset();
  gate_.reset();
  search_first_ = false;
  begin();
}

void Localizer::State::start_by_search(const initial_pose::PosePrior& prior) {
  if (!recovery_.on())
    throw std::invalid_argument("start_by_search: recovery-particles = 0: a search needs one or more");
  recovery_.begin_with(prior);
  predictor_.start_at(to_transform(prior.mean));
  gate_.reset(std::max(prior.sigma[0], prior.sigma[1]));
  search_first_ = true;
  begin();
}

void Localizer::State::begin() {
  started_ = true;
  sight_.reset();
  last_stamp_s_.reset();
  rejected_ = same_bytes_ = 0;
}

PreparedScan Localizer::State::prepare(double stamp_s, const Scan& raw, const ScanPreparation& filters) {
  PreparedScan prepared;
  std::optional<SweepMotion> motion;
  if (const PointCloud* cloud = raw.on_host(); cloud != nullptr && !cloud->times.empty() && options_.deskew)
    motion = motion_of(*cloud, predictor_.motion_at(stamp_s), prepared.deskew);
  prepared.scan =
      tracker_->hold_raw(raw, {options_.keep_no_returns, motion ? &*motion : nullptr, filters}, most_poses_);
  return prepared;
}

ScanReport Localizer::State::localize(double stamp_s, const PreparedScan& scan, const PerScan& limits,
                                      const PassedStage& passed) {
  require_next(stamp_s);
  const PointCloud& cloud = scan.scan.prepared.cloud;
  Frame frame{&cloud, scan.scan.held ? Scan(HeldScan{}) : Scan(cloud), limits, passed};
  ScanReport& report = frame.report;
  report.deskew = scan.deskew;
  report.stamp_s = stamp_s;
  report.no_returns = scan.scan.no_returns;
  report.prediction = predictor_.at(stamp_s);
  report.map_from_scan = report.prediction.map_from_scan;
  report.rejected = rejected_ + 1;
  regularise(frame);
  compare_bytes(*frame.scan, report);
  const bool can_be_used = usable(*frame.scan, report);
  frame.end(Stage::prediction);
  if (can_be_used) locate(frame);
  doubt_sweep(report);
  if (sight_.judge(*frame.scan, report)) frame.end(Stage::sight);

  if (report.source == PoseSource::predicted)
    report.verdict =
        search_first_ || report.rejected >= options_.lost_after ? Verdict::lost : Verdict::doubtful;
  settle(frame);
  diagnose(report, options_);
  frame.end(Stage::verdict);
  return std::move(report);
}

/// A sweep that could not be moved is a doubt: its pose is off by the motion of up to a sweep.
void Localizer::State::doubt_sweep(ScanReport& report) const {
  if (!report.deskew.timed() || report.deskew.done || report.verdict != Verdict::ok) return;
  report.reason = Reason::not_deskewed;
  report.verdict = Verdict::doubtful;
}

/// Aligns and, where that leaves the vehicle lost, searches.
void Localizer::State::locate(Frame& frame) {
  ScanReport& report = frame.report;
  try {
    if (!search_first_) align(frame);
    report.beyond_reach =
        report.rejected > 0 && predictor_.is_beyond_reach(report.stamp_s, report.prediction);
    if ((search_first_ || report.beyond_reach || report.rejected >= options_.lost_after) && recovery_.on())
      search(frame);
  } catch (const InputError& error) {
    report.reason = Reason::scan_refused;
    report.diagnosis.raise(Level::warn, formatted("the scan cannot be used: {}", error.what()));
  }
  const bool frozen = options_.frozen_after > 0 && report.same_bytes >= options_.frozen_after;
  if (!frozen || report.reason != Reason::none) return;
  report.reason = Reason::scan_frozen;
  report.verdict = Verdict::doubtful;
}

void Localizer::State::require_next(double stamp_s) const {
  if (!started_)
    throw std::logic_error("localize: there is no start; call start_at or start_by_search before");
  if (!std::isfinite(stamp_s))
    throw std::invalid_argument(formatted("localize: time {} is not finite", stamp_s));
  if (last_stamp_s_ && stamp_s <= *last_stamp_s_)
    throw std::invalid_argument(formatted(
        "localize: time {} does not come after {}, the scan before; give scans in the order of their times",
        stamp_s, *last_stamp_s_));
}

bool Localizer::State::usable(const PointCloud& scan, ScanReport& report) const {
  double farthest = 0;
  for (const Point& p : scan.points) {  // without branches, because every frame waits for it
    const Vec3<double> at = scan.origin + cast<double>(p);
    const double square = dot(at, at);
    const bool finite = square <= std::numeric_limits<double>::max();  // false for NaN, too
    report.points += finite;
    farthest = std::max(farthest, finite ? square : 0);
  }
  report.farthest_m = std::sqrt(farthest);
  if (report.points == 0)
    report.reason = Reason::scan_empty;
  else if (report.farthest_m < options_.required_range_m)
    report.reason = Reason::scan_short_range;
  return report.reason == Reason::none;
}

/// A sensor has noise: equal bytes mean that it, or its driver, repeats itself.
void Localizer::State::compare_bytes(const PointCloud& scan, ScanReport& report) {
  const std::size_t bytes = scan.size() * sizeof(Point);
  const bool same = !scan.empty() && scan.size() == last_points_.size() &&
                    std::memcmp(scan.points.data(), last_points_.data(), bytes) == 0;
  same_bytes_ = same_bytes_ > 0 && same ? same_bytes_ + 1 : 1;
  if (!same) last_points_ = scan.points;
  report.same_bytes = same_bytes_;
}

void Localizer::State::regularise(Frame& frame) {
  ScanReport& report = frame.report;
  std::optional<RegularisationTarget>& target = frame.per_scan.regularisation;
  if (!target && gnss_.size() > 0) {
    const PoseBuffer::Found found = gnss_.at(report.stamp_s);
    report.gnss_miss = found.miss;
    if (found.pose) {
      const Transform& predicted = report.prediction.map_from_scan;
      const Fix& fix = frame.fix.emplace(fix_of(found, options_));
      report.gnss_beside_m = std::hypot(fix.x - predicted(0, 3), fix.y - predicted(1, 3));
      if (gate_.passes(fix, predicted)) {
        const Fix place = gate_.corrected(fix);
        target = RegularisationTarget{place.x, place.y};
      } else {
        report.gnss_miss = Miss::contradicts;
      }
    }
  }
  report.regularisation = target;
  gnss_.forget_before(report.stamp_s);
}

void Localizer::State::align(Frame& frame) {
  ScanReport& report = frame.report;
  const Transform& guess = report.prediction.map_from_scan;
  if (!options_.by_convergence) tracker_->score_batch(frame.held, {&guess, 1}, {&report.before.emplace(), 1});
  frame.end(Stage::before);
  const AlignResult& result = report.aligned.emplace(tracker_->align(frame.held, guess, frame.per_scan));
  report.gap_s = last_stamp_s_ ? report.stamp_s - *last_stamp_s_ : 0;
  Measured figures = measured(result, guess, report.gap_s, options_);
  if (report.deskew.timed()) {
    if (const Judgement first = judged(figures, options_); first.accepted && first.jump_ok)
      align_deskewed(frame);
    figures = measured(result, guess, report.gap_s, options_);
  }
  frame.end(Stage::align);
  report.moved_m = translation_error_m(guess, result.map_from_scan);
  report.judgement = judged(figures, options_);
  if (result.stop == Stop::degenerate && report.judgement.score_ok) {
    report.turned = spread_of_turned(*tracker_, frame.held, result.map_from_scan, frame.per_scan);
    figures.held = holds(*report.turned);
    report.judgement = judged(figures, options_);
    frame.end(Stage::neighbours);
  }
  if (no_pose(result.stop) == Reason::none) {
    report.spread = look_beside(frame, result.map_from_scan, report.judgement.accepted);
    figures.spread = report.spread;
    report.judgement = judged(figures, options_);
    if (options_.no_ground_height_m) {
      report.no_ground =
          score_without_ground(*tracker_, *frame.scan, result.map_from_scan, *options_.no_ground_height_m);
      frame.let_go();
      frame.end(Stage::no_ground);
    }
  }
  report.reason = report.judgement.reason;
  if (!report.judgement.accepted) return;
  report.source = PoseSource::aligned;
  report.rejected = 0;
  report.map_from_scan = result.map_from_scan;
  report.verdict = report.reason == Reason::none ? Verdict::ok : Verdict::doubtful;
}

/// A sweep that was moved by the velocity before it, or not at all: the pose found tells the velocity in it.
/// If that differs, aligns once more.
void Localizer::State::align_deskewed(Frame& frame) {
  ScanReport& report = frame.report;
  AlignResult& result = *report.aligned;
  if (frame.scan->times.empty()) return;
  const auto velocity = predictor_.velocity_to(report.stamp_s, result.map_from_scan, report.deskew);
  const auto motion = predictor_.motion_at(report.stamp_s, velocity);
  if (!motion) return;
  const auto assumed = report.deskew.done ? predictor_.motion_at(report.stamp_s) : std::nullopt;
  const Transform middle = result.map_from_scan * report.deskew.to_middle;
  auto moved = deskewed_again(*frame.scan, assumed, *motion, report.deskew);
  if (!moved) return;
  frame.velocity = velocity;
  frame.moved_again = std::move(*moved);
  frame.scan = &frame.moved_again;
  frame.let_go();
  result = tracker_->align(frame.held, middle * inverse(report.deskew.to_middle), frame.per_scan);
}

/// One batch for the spread of an answer and, if its covariance is wanted, for MULTI_NDT.
std::optional<Spread> Localizer::State::look_beside(Frame& frame, const Transform& answer,
                                                    bool wants_covariance) {
  const bool multi_ndt = wants_covariance && options_.covariance == CovarianceMode::multi_ndt;
  if (!multi_ndt && spread_places_.empty()) return std::nullopt;
  Beside beside =
      aligned_beside(*tracker_, frame.held, answer,
                     multi_ndt ? std::span<const Offset>(options_.offsets) : std::span<const Offset>(),
                     spread_places_, frame.per_scan);
  frame.end(Stage::neighbours);
  frame.report.beside = std::move(beside.covariance);
  if (spread_places_.empty()) return std::nullopt;
  return spread_of(answer, beside.spread);
}

void Localizer::State::search(Frame& frame) {
  ScanReport& report = frame.report;
  Aligner& aligner = searcher_ ? searcher_() : *tracker_;
  PerScan per_scan = frame.per_scan;
  per_scan.trace = false;  // of the alignment alone
  report.recovery = recovery_.search(aligner, *frame.scan, report.prediction.map_from_scan, per_scan);
  frame.let_go();
  frame.end(Stage::search);
  if (report.recovery->found) accept_found(frame);
  if (!report.recovery->found) report.reason = Reason::not_found;
}

/// Takes what a search found, unless its spread rejects it.
void Localizer::State::accept_found(Frame& frame) {
  ScanReport& report = frame.report;
  Recovered& found = *report.recovery;
  found.spread = look_beside(frame, found.result.map_from_scan, true);
  const SpreadVerdict spread = judged(found.spread, options_);
  if (spread == SpreadVerdict::rejected) {
    found.found = false;
    return;
  }
  report.source = PoseSource::searched;
  report.map_from_scan = found.result.map_from_scan;
  report.reason = spread == SpreadVerdict::doubtful ? Reason::spread
                  : found.reliable                  ? Reason::none
                                                    : Reason::unproven;
  report.verdict = report.reason == Reason::none ? Verdict::ok : Verdict::doubtful;
  report.rejected = 0;
}

void Localizer::State::teach_gate(const Frame& frame, double gap_s) {
  if (is_firm(frame.report))
    gate_.follow_firm(frame.report.map_from_scan, frame.fix ? &*frame.fix : nullptr);
  else
    gate_.follow_weak(gap_s);
}

/// The covariance of the pose, and what it means for the scans to come.
void Localizer::State::settle(Frame& frame) {
  ScanReport& report = frame.report;
  teach_gate(frame, last_stamp_s_ ? report.stamp_s - *last_stamp_s_ : 0);
  last_stamp_s_ = report.stamp_s;
  rejected_ = report.rejected;
  const double stamp_s = report.stamp_s;
  if (report.source == PoseSource::predicted) {
    predictor_.assume(stamp_s, report.map_from_scan);
    if (report.verdict == Verdict::lost) predictor_.forget_velocity();
    return;
  }
  search_first_ = false;
  recovery_.reset();
  const bool searched = report.source == PoseSource::searched;
  // A jump corrects a wrong pose if something was predicted. If nothing was predicted, the vehicle may simply
  // go that fast.
  const bool corrected = report.reason == Reason::jump && report.prediction.by != Prediction::none;
  if (frame.velocity) predictor_.learn(*frame.velocity);
  if (searched || corrected)
    predictor_.jump_to(stamp_s, report.map_from_scan, report.deskew);
  else
    predictor_.follow(stamp_s, report.map_from_scan, report.deskew);
  if (options_.by_convergence) return;  // nothing is known of its covariance
  const AlignResult& result = searched ? report.recovery->result : *report.aligned;
  const Estimate estimate = estimated(*tracker_, frame.held, result, report.beside, options_);
  if (estimate.xy) report.covariance_by = options_.covariance;
  report.covariance_missing = estimate.missing;
  report.covariance = pose_covariance(result.map_from_scan, estimate.xy, options_);
  frame.end(Stage::covariance);
}

Localizer::Localizer(Aligner& tracker, const LocalizerOptions& options, Searcher searcher)
    : state_(std::make_unique<State>(tracker, options, std::move(searcher))) {}
Localizer::Localizer(Localizer&&) noexcept = default;
Localizer& Localizer::operator=(Localizer&&) noexcept = default;
Localizer::~Localizer() = default;

void Localizer::start_at(const Transform& map_from_scan) { state_->start_at(map_from_scan); }
void Localizer::start_by_search(const initial_pose::PosePrior& prior) { state_->start_by_search(prior); }
void Localizer::use_sight_lines(std::shared_ptr<const initial_pose::SightLines> lines) {
  state_->use_sight_lines(std::move(lines));
}
void Localizer::add_odometry(const StampedPose& pose) { state_->add_odometry(pose); }
void Localizer::add_twist(const StampedTwist& twist) { state_->add_twist(twist); }
void Localizer::add_imu(const StampedImu& imu) { state_->add_imu(imu); }
void Localizer::add_gnss(const StampedPose& pose) { state_->add_gnss(pose); }

void Localizer::expect_scan() { state_->expect_scan(); }
std::span<Point> Localizer::scan_memory(std::size_t points) { return state_->scan_memory(points); }

PreparedScan Localizer::prepare(double stamp_s, const Scan& raw, const ScanPreparation& filters) {
  return state_->prepare(stamp_s, raw, filters);
}

ScanReport Localizer::localize_prepared(double stamp_s, const PreparedScan& scan, const PerScan& limits,
                                        const PassedStage& passed) {
  return state_->localize(stamp_s, scan, limits, passed);
}

ScanReport Localizer::localize(double stamp_s, const PointCloud& scan, const PerScan& limits,
                               const PassedStage& passed) {
  return localize_prepared(stamp_s, prepare(stamp_s, scan), limits, passed);
}

}  // namespace ndt::localization
