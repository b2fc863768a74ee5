// The edge of every implementation of the shared Newton loop: it refuses bad input, converts options and
// poses, and writes results. HostAligner and DeviceAligner keep the map on their side; an implementation adds
// its schedule. Host only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/edge/scan_arrival.hpp"
#include "ndt/edge/stage_clock.hpp"
#include "ndt/score/level_map.hpp"
#include "ndt/solve/loop_outcome.hpp"

namespace ndt {

/// Facts about the scan that a result needs besides the loop's outcome.
struct ScanFacts {
  std::int64_t points = 0, dropped = 0;
  double mean_range_m = 0;
  int coarse_stride = 1, last_level = 0;

  /// Number of points that a level's sums use.
  std::int64_t used(int level) const {
    return level < last_level ? (points + coarse_stride - 1) / coarse_stride : points;
  }
};

/// One of a registration's maps. The others of the same registration differ in edge and, 1 km or more from
/// the global origin, in their own origin.
struct MapLevel {
  double edge_m = 0;
  Vec3<double> origin;
  LevelMap map;
};

/// The watch of persistent_align on the host. Gives LoopStatus::cancelled or timeout once the caller wants
/// the loop to end.
struct HostWatch {
  const PerScan& per_scan;
  LoopStatus operator()() const;
};

/// levels: those that the maps have, coarse to fine. windows: of the finish, or nothing.
LoopOptions loop_options(const AlignOptions& options, const PerScan& per_scan,
                         std::span<const MapLevel> levels, const std::optional<MapLevel>& windows,
                         double mean_range_m);

/// Converts a transform to map-local coordinates, and back.
Transform to_local(const Transform& map_from_scan, const Vec3<double>& map_origin);
Transform to_global(const Pose& local, const Vec3<double>& map_origin);

/// Conditioning of the outcome's pose without Conditioning::push_sigmas, or nothing if the guess is returned.
std::optional<Conditioning> conditioning_of(const LoopOutcome& outcome, double mean_range_m);

/// Labels the outcome honestly: converged only if the step rule was met and both the Hessian and the surfaces
/// fix the pose. At the iteration limit, surfaces that leave a direction free make it degenerate, because
/// more iterations would not help. Non-finite and no-overlap outcomes return the guess untouched. worded:
/// conditioning_of() the outcome, if it is known already.
AlignResult to_result(const LoopOutcome& outcome, const Transform& guess, const Vec3<double>& map_origin,
                      const ScanFacts& scan, const std::vector<LoopTrace>& trace,
                      const std::optional<Conditioning>& worded = std::nullopt);

Evaluation to_evaluation(const LoopOutcome& outcome, const Vec3<double>& map_origin, const ScanFacts& scan);

/// Score, probability and NVTL of summed pairs. Sums: PoseScore or DerivativeSums<double>.
template <class Sums>
Score score_of(const Sums& sums, const ScanFacts& scan) {
  return {sums.score, scan.points > 0 ? sums.score / static_cast<double>(scan.points) : 0.0,
          sums.points > 0 ? sums.nearest / static_cast<double>(sums.points) : 0.0, sums.pairs};
}

/// The finite points of a scan in its own frame, in the memory of room_for_scan() or where take_scan() has
/// them, and the facts about them for results.
struct LoopScan {
  const Point* points = nullptr;
  ScanFacts facts;
  ScanView view() const { return {points, static_cast<int>(facts.points)}; }
};

/// The points that a registration uses of a scan that came from somewhere, and what they were chosen from.
struct TakenScan {
  const Point* points = nullptr;
  CopiedPoints chosen;
};

/// One alignment of a batch: the map-local guess, the outcome and the trace.
struct LoopRun {
  Transform local_guess;
  LoopOutcome outcome;
  std::vector<LoopTrace> trace;  ///< filled if PerScan::trace
  /// conditioning_of() the outcome, if an implementation had time for it before the outcome was complete.
  std::optional<Conditioning> conditioning;
};

/// Pointers with which an implementation's kernels or loops find a scan and its guesses.
struct PlacedScan {
  const Point* points = nullptr;
  const Transform* guesses = nullptr;
};

/// Throws InputError "reserve: no memory for ...": `where` is "the CPU" or "the device".
[[noreturn]] void refuse_to_reserve(std::size_t points, std::size_t poses, const char* where);

/// An alignment that begins before its scan is checked and copied.
class EarlyLaunch {
 public:
  virtual ~EarlyLaunch() = default;
  /// Begins an alignment of `scan.size` points that are not in scan.points yet, the room of room_for_scan().
  /// Points arrive in order. Returns the flag by which the aligner says so, or null if the alignment was not
  /// begun, and submit_runs() will do it when they are there. The mean range is not known yet either.
  virtual ScanArrival* begin(const ScanView& scan, const LoopOptions& options, const PerScan& per_scan,
                             std::span<LoopRun> run) = 0;
  /// Tells that the scan is there as announced. Returns false if that was too late, and nothing is begun.
  virtual bool arrived(const LoopScan& scan) = 0;
  /// Tells that the scan was withdrawn. Waits until nobody uses the room.
  virtual void forget() = 0;
};

class LoopAligner : public Aligner {
 public:
  void reserve(std::size_t points, std::size_t poses) override;
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) final;
  Evaluation evaluate(const Scan& scan, const Transform& pose, const PerScan& per_scan) final;
  void submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) final;
  void hold(const PointCloud& scan, std::size_t poses) final;
  HeldRawScan hold_raw(const Scan& raw, const RawScanUse& use, std::size_t poses) final;
  void collect(std::span<AlignResult> out) final;
  void score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out) final;
  void expect_scan() final;
  Counters counters() const override {
    return {std::nullopt, kStageClock ? std::optional(clock_.times()) : std::nullopt};
  }

 protected:
  /// Throws std::invalid_argument for options out of range.
  explicit LoopAligner(const AlignOptions& options) : options_(options) { validate(options); }

  const AlignOptions& options() const { return options_; }
  StageClock& clock() { return clock_; }
  /// Throws std::logic_error unless there is a map.
  void require_map(const char* where) const;
  /// Waits for alignments that nobody collected, and forgets them: also called before another map is built.
  void give_up();
  /// Has no map from now on.
  void forget_levels() { levels_.clear(), windows_.reset(); }

  /// Coarse to fine; none without a map.
  std::span<const MapLevel> levels() const { return levels_; }
  const LevelMap& last_level() const { return levels_.back().map; }
  /// Runs f(index, map) for all levels, and for the windows behind them.
  template <class F>
  void for_each_level(F&& f) const {
    for (std::size_t l = 0; l < levels_.size(); ++l) f(l, levels_[l].map);
    if (windows_) f(levels_.size(), windows_->map);
  }
  /// Aligns against the maps of build_levels() and the windows, or null, from now on; they must stay.
  /// surfaces(map) points to a map's.
  template <class Maps, class Map, class Surfaces>
  void use_levels(const Maps& maps, const Map* windows, Surfaces&& surfaces) {
    levels_.clear();
    for (const auto& map : maps)
      levels_.push_back(
          {map->resolution_m(), map->origin(), {map->view(), gauss(map->resolution_m()), surfaces(*map)}});
    windows_.reset();
    if (windows != nullptr)
      windows_ = {windows->resolution_m(), windows->origin(), {windows->view(), kWindowGauss, nullptr}};
  }
  /// Gives room for `points` finite points of a scan, valid until the next call; they are written there
  /// before they are aligned or scored. poses: the most poses that the scan will be aligned from or scored
  /// at.
  virtual Point* room_for_scan(std::size_t points, std::size_t poses) = 0;
  /// Brings a scan of room_for_scan() to where it is read from, for many calls. Gives that place.
  virtual const Point* keep_scan(const TakenScan& scan) { return scan.points; }
  /// The usable points of a scan in device memory, as copy_scan_points() chooses them: a place as
  /// room_for_scan() gives, or on the device. Throws as it does, and as Aligner::align() says.
  virtual TakenScan take_device_scan(const DeviceCloud& scan, std::size_t poses, const char* where);
  /// Prepares a raw scan where the aligner's device does it; `taken` is then what it holds. Else nothing.
  virtual std::optional<HeldRawScan> prepare_on_device(const Scan& /*raw*/, const RawScanUse& /*use*/,
                                                       std::size_t /*poses*/, TakenScan& /*taken*/) {
    return std::nullopt;
  }
  /// The caller's points in the host's memory, as they are. Throws as take_device_scan() does.
  virtual PointCloud fetched(const DeviceCloud& scan, const char* where);
  /// Begins every alignment. There is at least one, and none depends on the others. options.max_iterations
  /// may be 0, which means to evaluate only.
  virtual void submit_runs(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                           std::span<LoopRun> runs) = 0;
  /// Begins an alignment alone before its scan is there, where the schedule can; null: it cannot.
  virtual EarlyLaunch* early_launch() { return nullptr; }
  /// Waits for alignment k and fills in what submit_runs() did not. Called for each k in order, after
  /// submit_runs().
  virtual void collect_run(const PerScan& /*per_scan*/, std::span<LoopRun> /*runs*/, std::size_t /*k*/) {}
  /// Does what expect_scan() is for. There is a map, and nothing is submitted. Repeats the last alignment
  /// whole, because after a rest the instructions of every part come from far.
  virtual void wake();
  /// Aligns the scan that was taken last from the last guess, if there is one, and drops the result.
  void repeat_last(int iterations);
  /// The threads among which the preparation of a raw scan is shared.
  virtual const Workers& workers() const;
  /// Takes what smaller batches or scans than those of a reserve() may need more of.
  virtual void reserve_more(std::size_t /*points*/, std::size_t /*poses*/) {}
  /// Scores of the local poses: Σ, probability and NVTL as in Score.
  virtual void score(const LoopScan& scan, std::span<const Transform> local_poses, std::span<Score> out) = 0;
  /// Largest pair score of every point at a local pose.
  virtual std::vector<float> point_scores(const LoopScan& scan, const Transform& local_pose) = 0;

 private:
  /// The alignments that are submitted and not yet collected.
  struct Batch {
    LoopScan scan;
    PerScan per_scan;
    std::span<const Transform> guesses;
    std::vector<LoopRun> runs;
    bool pending = false;
  };

  const Vec3<double>& map_origin() const { return levels_.back().origin; }
  Gauss<float> gauss(double edge_m) const;
  LoopOptions loop_options_for(const PerScan& per_scan, const LoopScan& scan) const;
  TakenScan take_scan(const Scan& scan, std::size_t poses, const char* where);
  void require_ready(const Scan& scan, std::span<const Transform> poses, const char* where);
  LoopScan loop_scan(const TakenScan& taken) const;
  LoopScan prepare(const Scan& scan, std::span<const Transform> poses, const char* where);
  LoopOutcome evaluate_at(const LoopScan& scan, const Transform& local_pose, const PerScan& per_scan);
  LoopOutcome run_alone(const LoopScan& scan, const Transform& local_guess, const LoopOptions& options);
  bool begin_early(const PointCloud& cloud, const char* where);
  void begin(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan,
             const char* where);
  void evaluate_all(const PointCloud& scan, std::span<const Transform> poses);

  AlignOptions options_;
  std::vector<MapLevel> levels_;
  std::optional<MapLevel> windows_;  ///< of the finish
  Batch batch_;
  std::optional<TakenScan> in_room_;    ///< the scan that was last taken, until its room is the next one's
  Transform last_guess_;                ///< map-local, of the last alignment
  std::size_t held_for_ = 0;            ///< poses that it is held for; 0: it is not held
  bool whole_ = true;                   ///< the last scan had no point that could not be used
  std::vector<Transform> local_poses_;  ///< that were scored last
  StageClock clock_;
};

}  // namespace ndt
