// Follows a vehicle through a map: scan after scan predicts, aligns, judges, and searches where it is lost.
// It reads no file and no clock: the same calls give the same bits.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/localization/gnss_gate.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/pose_buffer.hpp"
#include "ndt/localization/prediction.hpp"
#include "ndt/localization/recovery.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// Gives the aligner that searches, with the same map as the tracker; called when a search begins.
using Searcher = std::function<Aligner&()>;

/// Called with a stage that has just ended.
using PassedStage = std::function<void(Stage)>;

/// For one thread at a time. `tracker` has its map, and the aligners outlive the localizer or their use.
class Localizer {
 public:
  /// Searches with the tracker if there is no searcher. Throws as validate() does.
  explicit Localizer(Aligner& tracker, const LocalizerOptions& options = {}, Searcher searcher = {});

  // Either start begins anew: the next scan may have any time.

  /// The next scan is expected here. Throws std::invalid_argument if it is not rigid.
  void start_at(const Transform& map_from_scan);
  /// The next scan is searched around the prior's mean. Throws std::invalid_argument for a prior out of range
  /// and where the options allow no search.
  void start_by_search(const initial_pose::PosePrior& prior);

  // Other sensors, each in the order of its times. A lookup at a scan's time needs the pose after it, too.
  /// The scanner's pose in a frame of the odometry's own, which may drift. Throws as PoseBuffer::push does.
  void add_odometry(const StampedPose& odometry_from_scan) { predictor_.add_odometry(odometry_from_scan); }
  /// The vehicle's velocity, where there are no odometry poses. Throws as Predictor::add_twist does.
  void add_twist(const StampedTwist& twist) { predictor_.add_twist(twist); }
  /// Pulls scans of that time along the vehicle's heading, as strongly as the aligner's
  /// AlignOptions::regularisation_scale says, unless the fix contradicts where the scans say the vehicle is
  /// (GnssGate). Without a covariance it has LocalizerOptions::gnss_sigma_m.
  void add_gnss(const StampedPose& map_from_scan) { gnss_.push(map_from_scan); }

  /// `limits` holds for every alignment of this scan; a regularisation target of its own replaces the GNSS's.
  /// Points that find_no_returns() finds are left out first, unless the options keep them. Throws
  /// std::logic_error before a start, std::invalid_argument for a time that does not come after the last
  /// scan's, and what Aligner::align throws, but no InputError: a scan that cannot be used is reported.
  /// `passed` is called after every stage that the scan goes through.
  ScanReport localize(double stamp_s, const PointCloud& scan, const PerScan& limits = {},
                      const PassedStage& passed = {});

 private:
  /// One scan on its way.
  struct Frame {
    const PointCloud& scan;
    PerScan per_scan;
    const PassedStage& passed;
    ScanReport report{};
    std::vector<AlignResult> beside{};  ///< MULTI_NDT's alignments from beside the pose
    std::optional<Fix> fix{};           ///< the GNSS's at its time, used or not

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
  void align(Frame& frame);
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
  std::optional<double> last_stamp_s_;
  std::vector<Offset> spread_places_;
  bool started_ = false, search_first_ = false;
  int rejected_ = 0, same_bytes_ = 0;
  std::size_t bytes_ = 0;  ///< a hash of the last scan's
};

}  // namespace ndt::localization
