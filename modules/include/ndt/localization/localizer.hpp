// Follows a vehicle through a map: scan after scan predicts, aligns, judges, and searches where it is lost.
// It reads no file and no clock: the same calls give the same bits.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/initial_pose/sight_lines.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/scan_report.hpp"
#include "ndt/localization/stamped_pose.hpp"

namespace ndt::localization {

/// Gives the aligner that searches, with the same map as the tracker; called when a search begins.
using Searcher = std::function<Aligner&()>;

/// Called with a stage that has just ended.
using PassedStage = std::function<void(Stage)>;

/// A scan on its way from prepare() to localize_prepared().
struct PreparedScan {
  HeldRawScan scan;  ///< the points that are left, and what became of the others
  Deskew deskew;     ///< what was done about a rolling sweep
};

/// For one thread at a time. `tracker` has its map, and the aligners outlive the localizer or their use.
class Localizer {
 public:
  /// Searches with the tracker if there is no searcher. Throws as validate() does.
  explicit Localizer(Aligner& tracker, const LocalizerOptions& options = {}, Searcher searcher = {});
  Localizer(Localizer&&) noexcept;             ///< moves
  Localizer& operator=(Localizer&&) noexcept;  ///< moves
  ~Localizer();

  /// Compares ok scans with the sight lines of the map from now on (LocalizerOptions::sight_every); null:
  /// does not. A map that is exchanged needs new ones.
  void use_sight_lines(std::shared_ptr<const initial_pose::SightLines> lines);

  // Either start begins anew: the next scan may have any time.

  /// The next scan is expected here. Throws std::invalid_argument if it is not rigid.
  void start_at(const Transform& map_from_scan);
  /// The next scan is searched around the prior's mean. Throws std::invalid_argument for a prior out of range
  /// and where the options allow no search.
  void start_by_search(const initial_pose::PosePrior& prior);

  // Other sensors, each in the order of its times. A lookup at a scan's time needs the pose after it, too.
  /// The scanner's pose in a frame of the odometry's own, which may drift. Throws
  /// std::invalid_argument for a time or pose that is not finite.
  void add_odometry(const StampedPose& odometry_from_scan);
  /// The scanner's velocity, where there are no odometry poses. Throws
  /// std::invalid_argument for numbers that are not finite.
  void add_twist(const StampedTwist& twist);
  /// For Prediction::imu. At rest it also tells the roll and pitch of a start that has none, and its own
  /// bias. Throws std::invalid_argument for numbers that are not finite.
  void add_imu(const StampedImu& imu);
  /// Pulls scans of that time along the vehicle's heading, as strongly as the aligner's
  /// AlignOptions::regularisation_scale says. A fix that contradicts the scans is not used.
  /// A fix that has no covariance gets LocalizerOptions::gnss_sigma_m.
  void add_gnss(const StampedPose& map_from_scan);

  /// Announces the next scan to the tracker, when its first packet arrives or before it is filtered: see
  /// Aligner::expect_scan().
  void expect_scan();
  /// Memory of the tracker for the next raw scan: see Aligner::scan_memory().
  std::span<Point> scan_memory(std::size_t points);
  /// Makes a raw scan ready for localize_prepared(), and has the tracker hold it. No-returns are left out
  /// unless the options keep them, points with times are moved to the stamp, and filters act. The motion is
  /// that of odometry, twists or IMU, or the velocity of the last two accepted poses. Where the tracker is on
  /// a GPU, see Aligner::hold_raw(). Throws as that does.
  PreparedScan prepare(double stamp_s, const Scan& raw, const ScanPreparation& filters = {});

  /// Localises a scan of prepare(); nothing else may use the tracker in between. `limits` holds for every
  /// alignment of this scan; a regularisation target of its own replaces the GNSS's. Throws std::logic_error
  /// before a start, and std::invalid_argument for a time that does not come after the last scan's. Throws
  /// what Aligner::align throws, but no InputError: an unusable scan is reported. `passed` is called after
  /// every stage that the scan goes through.
  ScanReport localize_prepared(double stamp_s, const PreparedScan& scan, const PerScan& limits = {},
                               const PassedStage& passed = {});
  /// Both, without a filter.
  ScanReport localize(double stamp_s, const PointCloud& scan, const PerScan& limits = {},
                      const PassedStage& passed = {});

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ndt::localization
