// Every switch of the registration and its default; name, bounds and meaning are in option_table.hpp. No
// implementation ignores an option silently.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ndt/core/enum_names.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {

struct Bounds;

/// Voxel edges over the resolution, from coarse to fine; 1 to Limits::kLevels of them.
class Levels {
 public:
  constexpr Levels() = default;  ///< the resolution alone
  /// Throws std::invalid_argument for no level or more than Limits::kLevels; validate() checks the order.
  constexpr Levels(std::initializer_list<double> edges)
      : Levels(std::span<const double>(edges.begin(), edges.size())) {}
  /// As above, from an array.
  constexpr explicit Levels(std::span<const double> edges) : edges_{}, size_(edges.size()) {
    if (edges.empty() || edges.size() > Limits::kLevels)
      throw std::invalid_argument("levels: " + std::to_string(edges.size()) + " given, 1 to " +
                                  std::to_string(Limits::kLevels) + " are possible");
    for (std::size_t i = 0; i < size_; ++i) edges_[i] = edges[i];
  }

  constexpr std::size_t size() const { return size_; }             ///< number of levels
  constexpr const double* begin() const { return edges_.data(); }  ///< the coarsest
  /// Past the finest.
  constexpr const double* end() const { return edges_.data() + size_; }
  /// Returns the edge of level i; level 0 is the coarsest.
  constexpr double operator[](std::size_t i) const { return edges_[i]; }

  /// True for equal levels in the same order.
  friend constexpr bool operator==(const Levels&, const Levels&) = default;

 private:
  std::array<double, Limits::kLevels> edges_{1};  // 0 beyond size_
  std::size_t size_ = 1;
};

/// Writes levels as "6,2.5,1".
std::string to_string(const Levels& levels);
/// Inverse. Throws std::invalid_argument that quotes the text.
Levels levels_from_text(std::string_view text);

/// Throws std::invalid_argument "option <name> = 1,2.5: ..." unless every level is within the bounds and
/// finer than the one before.
void require_within(std::string_view name, const Levels& levels, const Bounds& bounds);

/// The voxels that a point is scored against.
enum class Neighbours {
  radius,   ///< all voxels whose centroid is nearer than the resolution (the reference)
  direct1,  ///< the point's own voxel
  direct7,  ///< its own and the six face neighbours
  direct27  ///< all 3x3x3 cells, no distance test
};
constexpr auto enum_names(Neighbours) { return std::array{"radius", "direct1", "direct7", "direct27"}; }

/// How the length of a Newton step is found.
enum class LineSearch { off, more_thuente, batched };
constexpr auto enum_names(LineSearch) { return std::array{"off", "more_thuente", "batched"}; }

/// Step ratios tried by LineSearch::batched.
enum class StepRatios {
  fixed8,       ///< 1, .75, .618, .5, .382, .25, .125, .0625
  golden_ratio  ///< 0.618^k
};
constexpr auto enum_names(StepRatios) { return std::array{"fixed8", "golden_ratio"}; }

/// Start value of a voxel's second-moment accumulator. identity gives the sample covariance + I/(n-1) m^2.
enum class CovarianceStart { identity, zero };
constexpr auto enum_names(CovarianceStart) { return std::array{"identity", "zero"}; }

/// The Newton step to take when -H is not positive definite.
enum class NewtonStep {
  reference,  ///< minimum-norm solve of H, reversed if it points downhill (what the reference's SVD does)
  damped      ///< -H + lambda I with growing lambda
};
constexpr auto enum_names(NewtonStep) { return std::array{"reference", "damped"}; }

/// The second derivatives of the score.
enum class HessianForm {
  exact,
  autoware_1_9  ///< the error of Autoware's releases up to 1.9.0 (autoware_core #1217), and of ndt_omp: the
                ///< term of pitch-pitch that has -sin(pitch) has +sin(pitch)
};
constexpr auto enum_names(HessianForm) { return std::array{"exact", "autoware_1_9"}; }

/// How far a step may go, and whether it is taken back.
enum class StepControl {
  clamped,      ///< step_m and epsilon_m bound and end the steps; none is taken back (the reference)
  trust_region  ///< steps scaled by the scan's mean range, taken back if they lower the score; radii and the
                ///< end come from each level's voxel edge
};
constexpr auto enum_names(StepControl) { return std::array{"clamped", "trust_region"}; }

/// The last step of StepControl::trust_region.
enum class Finish {
  none,    ///< as the steps before it
  windows  ///< one step on overlapping windows of 3 x 3 x 3 fine cells, of which a point sees its own cell's
};
constexpr auto enum_names(Finish) { return std::array{"none", "windows"}; }

/// The goal of a GPU's share-out of a scan's points. The goal changes the time and the last bits of a result.
/// With each goal, an alignment gives the same bits alone and in any batch.
enum class Tuning {
  latency,    ///< threads share a point where there are few: the shortest wait for one alignment
  throughput  ///< a thread has whole points: the most alignments a second in batches of many
};
constexpr auto enum_names(Tuning) { return std::array{"latency", "throughput"}; }

/// How a thread waits for a GPU. It changes no result.
enum class Wait {
  spin,   ///< looks all the time: the soonest answer, and a core that does nothing else
  yield,  ///< looks again when no other thread wants the core
  block   ///< sleeps until the device is done, and where a deadline or a stop may come, looks every 50 us
};
constexpr auto enum_names(Wait) { return std::array{"spin", "yield", "block"}; }

/// The priority of an aligner's kernels where several wait for room on a GPU. Changes no result.
enum class StreamPriority {
  normal,
  high  ///< an alignment's before those of other streams of normal priority; not a map's that is built beside
};
constexpr auto enum_names(StreamPriority) { return std::array{"normal", "high"}; }

/// Sets of options that others start from: AlignOptions::of().
enum class Profile { autoware, textbook, pyramid, windows };
constexpr auto enum_names(Profile) { return std::array{"autoware", "textbook", "pyramid", "windows"}; }

/// Every switch of a registration; the defaults are Autoware's. Bounds and meaning in full: option_table.hpp.
struct AlignOptions {
  double resolution_m = 2.0;                    ///< voxel edge [m]
  double step_m = 0.1;                          ///< longest step [m; metres and radians in one vector]
  double epsilon_m = 0.01;                      ///< a shorter step ends the alignment [m]
  int max_iterations = 30;                      ///< of one alignment
  double outlier_ratio = 0.55;                  ///< Magnusson's outlier share
  int min_points = 6;                           ///< of a voxel that is used
  double eigenvalue_ratio = 0.01;               ///< least eigenvalue of a voxel's covariance over the largest
  Neighbours neighbours = Neighbours::radius;   ///< voxels that a point is scored against
  LineSearch line_search = LineSearch::off;     ///< off: the clamped Newton step is taken
  StepRatios step_ratios = StepRatios::fixed8;  ///< of LineSearch::batched
  CovarianceStart covariance_start = CovarianceStart::identity;  ///< of a voxel's sums
  NewtonStep newton_step = NewtonStep::reference;                ///< where -H is not positive definite
  HessianForm hessian = HessianForm::exact;                      ///< second derivatives of the score
  StepControl step_control = StepControl::clamped;               ///< what bounds and ends the steps
  Levels levels;                  ///< voxel edges over the resolution, coarse to fine
  double negative_curvature = 1;  ///< share that the Hessian keeps away from the end
  int coarse_stride = 1;          ///< every n-th scan point is used on all levels but the last
  Finish finish = Finish::none;   ///< the last step
  double finish_window = 0.4;     ///< edge of a window over the resolution
  int finish_min_points = 6;      ///< of a window; around thinner ones the cells are 2 and 4 times as long
  double finish_eigenvalue_ratio = 0.001;                   ///< as eigenvalue_ratio, of a window
  double regularisation_scale = 0.01;                       ///< acts only with a PerScan target
  Tuning tuning = Tuning::latency;                          ///< of a GPU's kernels; a CPU has one
  Wait wait = Wait::spin;                                   ///< of a thread for a GPU; a CPU has none
  StreamPriority stream_priority = StreamPriority::normal;  ///< of an alignment's kernels on a GPU
  int device = 0;                                           ///< index of the CUDA device
  int devices = 1;  ///< that share a batch, from `device` on; for the persistent kernels
  int threads = 0;  ///< CPU workers; 0: one per core

  /// Autoware as it ships today.
  static AlignOptions autoware() { return {}; }
  /// Unbiased covariances on one map, and a trust region with half of the negative curvature.
  static AlignOptions textbook() {
    AlignOptions options;
    options.covariance_start = CovarianceStart::zero;
    options.step_control = StepControl::trust_region;
    options.negative_curvature = 0.5;
    return options;
  }
  /// The textbook options over two maps, from coarse to fine.
  static AlignOptions pyramid() {
    AlignOptions options = textbook();
    options.levels = {2.5, 1};
    return options;
  }
  /// The pyramid with its last step on overlapping windows: nearer to the truth, with a much larger map.
  static AlignOptions windows() {
    AlignOptions options = pyramid();
    options.finish = Finish::windows;
    return options;
  }
  /// The options of a profile.
  static AlignOptions of(Profile profile) {
    switch (profile) {
      case Profile::autoware: break;
      case Profile::textbook: return textbook();
      case Profile::pyramid: return pyramid();
      case Profile::windows: return windows();
    }
    return autoware();
  }
  /// A profile for a search's far guesses. A GPU is tuned for many of them. A pyramid has a third map, which
  /// can mislead a good guess.
  static AlignOptions of_a_search(Profile profile) {
    AlignOptions options = of(profile);
    if (options.levels.size() > 1) options.levels = {6, 2.5, 1};
    options.tuning = Tuning::throughput;
    return options;
  }
};

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>" for the first option out of
/// range or NaN. An option that would do nothing under the step control is "option <name> = <value>:
/// <reason>".
void validate(const AlignOptions& options);

/// Whether both make the same maps of a cloud, in the same place.
inline bool same_maps(const AlignOptions& a, const AlignOptions& b) {
  return a.resolution_m == b.resolution_m && a.levels == b.levels && a.min_points == b.min_points &&
         a.eigenvalue_ratio == b.eigenvalue_ratio && a.neighbours == b.neighbours &&
         a.covariance_start == b.covariance_start && a.device == b.device && a.finish == b.finish &&
         a.finish_window == b.finish_window && a.finish_min_points == b.finish_min_points &&
         a.finish_eigenvalue_ratio == b.finish_eigenvalue_ratio;
}

/// Edge of the cells of which a window has 3 x 3 x 3 [m].
inline double finish_cell_m(const AlignOptions& options) {
  return options.finish_window * options.resolution_m / 3;
}

}  // namespace ndt
