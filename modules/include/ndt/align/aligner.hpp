// The one virtual interface of the suite, at the edge where an implementation is chosen by name. Everything
// below it is templates.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/align/align_result.hpp"
#include "ndt/align/preparation.hpp"
#include "ndt/align/resident_map.hpp"
#include "ndt/align/scan.hpp"
#include "ndt/core/counters.hpp"

namespace ndt {

struct RawScanMemory;  // ndt/align/raw_scan.hpp
struct Workers;        // ndt/core/workers.hpp

/// Position from another sensor that pulls the pose along the vehicle's heading only (map frame, metres).
struct RegularisationTarget {
  double x = 0, y = 0;  ///< map frame [m]
};

/// The inputs that may differ from scan to scan.
struct PerScan {
  std::optional<RegularisationTarget> regularisation;  ///< nothing: the score alone decides
  bool trace = false;                                  ///< fill AlignResult::trace
  bool point_scores = false;                           ///< fill Evaluation::point_scores
  /// An alignment ends with Stop::timeout or Stop::cancelled, and the best pose so far, at its first check
  /// after the deadline or the request. It checks after every evaluation (the oracle: after every iteration)
  /// and interrupts none.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::stop_token stop;  ///< ends the alignment as a deadline does; see there
};

/// Returns cancelled or timeout if the caller wants the alignment to end, nothing otherwise.
std::optional<Stop> interruption(const PerScan& per_scan);

/// One voxel in readable form. Global map coordinates, metres.
struct VoxelInfo {
  std::int64_t key[3] = {};  ///< floor(p / resolution) per axis
  int points = 0;            ///< of the map in it
  Vec3<double> centroid;     ///< the point that the radius test uses; float32 in the reference
  Vec3<double> mean;         ///< of its points
  Sym3<double> covariance, inverse_covariance;  ///< m^2 after the eigenvalue floor, and its inverse
};

/// Throws InputError "set_map: no valid voxel ..." with the counts that tell an empty map from a sparse one.
[[noreturn]] void throw_no_valid_voxel(const MapInfo& info, std::int64_t occupied_voxels,
                                       const AlignOptions& options);

/// Score of one pose of a batch.
struct Score {
  double score = 0, transform_probability = 0, nvtl = 0;  ///< as in AlignResult
  std::int64_t correspondences = 0;                       ///< point-voxel pairs
};

/// Numbers that an aligner keeps beside its results.
struct Counters {
  /// Everything moved to and from a device so far; nothing on the CPU. Maps that came from a resident_map()
  /// are counted there.
  std::optional<Traffic> traffic;
  /// The times of the last alignment's stages; nothing unless the build has the option NDT_STAGE_CLOCK.
  std::optional<StageTimes> stage_times;
};

/// One registration method. For one thread at a time: a call while another thread's lasts throws
/// std::logic_error "<call>: the aligner is busy ...". One instance per thread is the way to use many.
///
/// A child process after fork() has none of its parent's threads, and no usable GPU. A call on an aligner of
/// the parent waits in it for ever. Start the child before the first aligner is made, or let it exec.
class Aligner {
 public:
  virtual ~Aligner() = default;
  /// Builds the voxel map; slow, timed as build. Points on the aligner's device give the same map, bit for
  /// bit. Throws InputError if no voxel is valid or float32 holds the coordinates too coarsely
  /// (align/usable_points.hpp). The previous map is then kept. Throws std::invalid_argument for points on a
  /// device if this implementation does not read them there, and std::logic_error for a HeldScan.
  virtual MapInfo set_map(const Scan& map) = 0;
  /// Holds no tile yet, and builds maps for this aligner and for others of the same implementation with the
  /// same options, beside their alignments. Null if the implementation makes maps by set_map() only.
  virtual std::unique_ptr<ResidentMap> resident_map() const;
  /// Aligns with a map of a resident_map() from now on: an exchange of pointers. Returns the map before, if
  /// it can outlive the aligner, so that the caller chooses when its memory is given back. Throws
  /// std::invalid_argument if the map is null or of another implementation or other options, and then keeps
  /// the map before.
  virtual std::shared_ptr<const ReadyMap> exchange_map(std::shared_ptr<const ReadyMap> map);
  /// Registers the scan from the guess. A scan on the aligner's device gives the same result, bit for bit.
  /// Its points stay there unless one is 1 km away or more. They are read behind what the
  /// scan's stream has been given by now; when the call returns, they may be overwritten.
  ///
  /// Throws std::logic_error without a map, or for a HeldScan if none is held. Throws std::invalid_argument
  /// if the guess is not rigid, or if this implementation cannot read the points in their memory. Throws
  /// InputError if the scan's coordinates are too coarse. Everything numerical is in AlignResult::stop.
  virtual AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan = {}) = 0;
  /// Score, gradient and Hessian at a pose. Throws as align does.
  virtual Evaluation evaluate(const Scan& scan, const Transform& pose, const PerScan& per_scan = {}) = 0;
  /// The voxels of the map in increasing key order, z slowest.
  virtual std::vector<VoxelInfo> voxels() const = 0;
  /// Returns the numbers counted so far.
  virtual Counters counters() const { return {}; }
  /// See Counters.
  std::optional<Traffic> traffic() const { return counters().traffic; }
  /// See Counters.
  std::optional<StageTimes> stage_times() const { return counters().stage_times; }

  /// Registers the scan from many guesses. Result k does not depend on its position nor on the other guesses.
  /// out.size() must equal guesses.size() (std::invalid_argument otherwise); throws as align does.
  void align_batch(const Scan& scan, std::span<const Transform> guesses, std::span<AlignResult> out,
                   const PerScan& per_scan = {});
  /// The two halves of align_batch: submit() begins the alignments, and collect() waits for them. A device
  /// aligns in between while the caller's thread is free; without a device either half may do all the work.
  /// A scan in the host's memory, the guesses and what per_scan refers to must stay as they are until
  /// collect(). Points on the device may be overwritten when submit() returns. A call in between may drop
  /// what was submitted; set_map() drops it, or has it aligned with the new map. Throws std::invalid_argument
  /// for more poses than a HeldScan is held for.
  virtual void submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan = {});
  /// Takes a scan for many calls, which name it HeldScan{}: it is checked, and a device has it, once. The
  /// caller's may change afterwards. A call with a scan of its own, and reserve(), may let go of it. poses:
  /// the most that one of these calls is given. Throws as align does, but for the guess.
  virtual void hold(const PointCloud& scan, std::size_t poses);
  /// Memory in which a raw scan of so many points should lie until hold_raw() gets a DeviceCloud of it. It is
  /// pinned, so that a GPU reads it without a copy. Valid until the next call of this one. Empty where it
  /// makes no difference.
  virtual std::span<Point> scan_memory(std::size_t /*points*/) { return {}; }
  /// Prepares a raw scan and holds what is left of it, as hold() does. A GPU does both without a way back,
  /// with the bits of the CPU, if the scan has filters and nothing odd. It is soonest done where the points
  /// lie in its own or in pinned memory (DeviceCloud). Points with times come as a PointCloud. Throws as
  /// validate() does, std::logic_error without a map, and std::invalid_argument if this implementation cannot
  /// read the points in their memory.
  virtual HeldRawScan hold_raw(const Scan& raw, const RawScanUse& use, std::size_t poses);
  /// out.size() must equal the number of guesses submitted. Throws std::logic_error if nothing was submitted.
  virtual void collect(std::span<AlignResult> out);
  /// Scores of many poses of one scan. poses and out as in align_batch; throws as evaluate does.
  virtual void score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out);
  /// Allocates the memory for scans of up to `points` points and `poses` poses in one call, so that later
  /// calls within these allocate none. Exceptions are traces, scores of points, threads that write ten
  /// results or more, and batches that multikernel_* splits. Costs about one evaluation of such a batch. Does
  /// nothing if an implementation keeps no such memory. Throws std::logic_error without a map,
  /// std::invalid_argument if one call takes fewer, and InputError if memory is short. The aligner then works
  /// as before.
  virtual void reserve(std::size_t points, std::size_t poses);
  /// Announces a scan that comes within milliseconds, such as when its first packet arrives. The next
  /// alignment of a caller that sleeps between scans then takes less. A GPU repeats the last alignment. A CPU
  /// evaluates its scan, and the threads of its pool stay awake for up to 20 ms.
  ///
  /// Takes as long as that alignment at most. Changes no result, nor what is held or submitted. Does nothing
  /// without a map, and while a submission is not collected. Throws what align() does if a device fails.
  virtual void expect_scan() {}

 protected:
  /// Taken by every call for as long as it lasts, because an aligner has one set of buffers. Throws
  /// std::logic_error if another thread has it; the calls that a call makes share its turn.
  class Turn {
   public:
    /// Takes the turn for `call`, which the error names; the destructor gives it back.
    Turn(const Aligner& aligner, const char* call);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();

   private:
    std::atomic<std::thread::id>* taken_;  // null within another call's turn
  };

  /// The cloud of a call, where an implementation reads from the host's memory alone: the caller's, or the
  /// one that is held. Throws as align() says.
  const PointCloud& host_cloud(const Scan& scan, const char* call, std::size_t poses = 1) const;
  /// Does what hold_raw() is for on the host.
  HeldRawScan prepare_and_hold(const Scan& raw, const RawScanUse& use, std::size_t poses,
                               const Workers& workers);

 private:
  struct Submitted {
    const PointCloud* scan;
    std::span<const Transform> guesses;
    PerScan per_scan;
  };
  /// A scan that is held where hold() is not overridden.
  struct Held {
    PointCloud scan;
    std::size_t poses = 0;
  };

  std::optional<Submitted> submitted_;  ///< where submit() is not overridden
  std::optional<Held> held_;
  std::shared_ptr<RawScanMemory> raw_memory_;    ///< of hold_raw(), for the next scan
  mutable std::atomic<std::thread::id> turn_{};  ///< the thread whose call lasts, if any
};

/// Throws std::invalid_argument "<where>: this implementation reads points from the host's memory ...".
[[noreturn]] void refuse_device_cloud(const char* where);

/// Throws std::logic_error "<where>: no scan is held ...".
[[noreturn]] void refuse_without_held_scan(const char* where);
/// Throws std::invalid_argument for more poses than a scan is held for.
void require_held_for(std::size_t poses, std::size_t most, const char* where);

/// Throws std::invalid_argument unless there is a result for every pose, and no more poses than one call
/// takes.
void require_room_for_results(std::size_t poses, std::size_t results, const char* where);

}  // namespace ndt
