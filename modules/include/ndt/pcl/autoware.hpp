// This library behind the interface of Autoware's MultiGridNormalDistributionsTransform and of the covariance
// functions beside it, for its node ndt_scan_matcher (docs/autoware.md). Header-only; needs PCL.
//
// Names, units, defaults and results are Autoware's. Five things differ. Points of several tiles in one cell
// make one voxel; Autoware makes one per tile. addTarget() takes the points, and createVoxelKdtree() makes
// their voxels. setParams() applies to the tiles that are held, too. calculateNearestVoxelScoreEachPoint()
// keeps the order of the points and leaves out scores of 0. hasConverged() is Stop::converged.
#pragma once

#include <pcl/point_types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <ostream>
#include <thread>
#include <utility>

#include "ndt/core/error.hpp"
#include "ndt/pcl/registration.hpp"

namespace ndt::autoware {

using ndt::NeighborSearchMethod, ndt::KDTREE, ndt::DIRECT26, ndt::DIRECT7, ndt::DIRECT1;

/// Poses one after the other.
using Matrix4fArray = std::vector<Eigen::Matrix4f, Eigen::aligned_allocator<Eigen::Matrix4f>>;

/// The parameters `ndt.*` of the node.
struct NdtParams {
  double trans_epsilon{};  ///< a shorter step ends the alignment [m]
  double step_size{};      ///< longest step [m]
  float resolution{};      ///< voxel edge [m]
  int max_iterations{};    ///< of one alignment
  NeighborSearchMethod
      search_method{};  ///< ignored, as in Autoware: neighbours are always those in the radius
  int num_threads{};    ///< CPU workers; less than 1 is 1
  float regularization_scale_factor{};  ///< how strongly the regularisation pose pulls
  bool use_line_search = false;         ///< by More and Thuente
};

/// The result of an alignment. The arrays have the guess first, then the pose after each iteration.
struct NdtResult {
  Eigen::Matrix4f pose = Eigen::Matrix4f::Identity();                         ///< map_from_scan
  float transform_probability = 0;                                            ///< score over points
  float nearest_voxel_transformation_likelihood = 0;                          ///< NVTL
  int iteration_num = 0;                                                      ///< Newton steps
  Matrix4fArray transformation_array;                                         ///< the poses on the way
  Eigen::Matrix<double, 6, 6> hessian = Eigen::Matrix<double, 6, 6>::Zero();  ///< of the score
  std::vector<float> transform_probability_array;                             ///< at the poses on the way
  std::vector<float> nearest_voxel_transformation_likelihood_array;           ///< at the poses on the way

  /// For logs.
  friend std::ostream& operator<<(std::ostream& out, const NdtResult& result) {
    return out << "Pose:\n"
               << result.pose << "\nTP: " << result.transform_probability
               << "\nNVTL: " << result.nearest_voxel_transformation_likelihood
               << "\nIteration num: " << result.iteration_num << "\nHessian:\n"
               << result.hessian << '\n';
  }
};

namespace detail {

using MapInUse = std::shared_ptr<const ReadyMap>;

struct Tile {
  TileId id;  // another for every cloud, so that a tile that is given again is another tile
  TileCloud points;
};
using Tiles = std::map<std::string, Tile>;

inline TileId next_tile() {
  static std::atomic<TileId> last{0};
  return ++last;
}

/// An aligner and the tiles' voxels, shared by an object and its copies. Alignments take turns, and so do
/// changes of tiles; the two go on beside each other.
class Workshop {
 public:
  Workshop(const std::string& implementation, const AlignOptions& options)
      : aligner_(make_aligner(implementation, options)), voxels_(aligner_->resident_map()) {
    if (!voxels_)
      throw std::invalid_argument("implementation '" + implementation +
                                  "' keeps no map in tiles: choose auto, multikernel_* or persistent_*");
  }

  /// Holds these tiles and no others. Null if no voxel has enough points.
  MapInUse build(const Tiles& tiles) {
    const MapInUse freed_here = retire(nullptr);  // not beside an alignment that waits for it
    const std::lock_guard turn(changing_);
    std::map<TileId, const Tile*> wanted;
    for (const auto& [name, tile] : tiles) wanted[tile.id] = &tile;
    for (const TileId held : voxels_->ids())
      if (wanted.erase(held) == 0) voxels_->remove(held);
    for (const auto& [id, tile] : wanted) voxels_->add(id, tile->points);
    try {
      return voxels_->build();
    } catch (const InputError&) {
      return nullptr;
    }
  }

  /// Returns use(aligner) while the aligner has this map.
  template <class Use>
  auto with(const MapInUse& map, Use use) {
    const std::lock_guard turn(aligning_);
    if (map != in_use_) {
      retire(aligner_->exchange_map(map));
      in_use_ = map;
    }
    return use(*aligner_);
  }

 private:
  /// Returns the one before. Its own turn, so that a change of tiles waits for no alignment.
  MapInUse retire(MapInUse map) {
    const std::lock_guard turn(retiring_);
    return std::exchange(retired_, std::move(map));
  }

  std::mutex aligning_, changing_, retiring_;
  std::unique_ptr<Aligner> aligner_;
  std::unique_ptr<ResidentMap> voxels_;
  MapInUse in_use_, retired_;
};

inline AlignOptions options_of(const NdtParams& params) {
  AlignOptions options;
  options.epsilon_m = params.trans_epsilon;
  options.step_m = params.step_size;
  options.resolution_m = static_cast<double>(params.resolution);
  options.max_iterations = params.max_iterations;
  options.threads = std::max(params.num_threads, 1);
  options.regularisation_scale = static_cast<double>(params.regularization_scale_factor);
  options.line_search = params.use_line_search ? LineSearch::more_thuente : LineSearch::off;
  validate(options);
  return options;
}

inline NdtResult result_of(const AlignResult& from) {
  NdtResult out;
  out.pose = adapters::matrix_of<float>(from.map_from_scan);
  out.transform_probability = static_cast<float>(from.transform_probability);
  out.nearest_voxel_transformation_likelihood = static_cast<float>(from.nvtl);
  out.iteration_num = from.iterations;
  out.hessian = adapters::matrix_of(from.hessian);
  for (const TracePoint& at : from.trace) {
    out.transformation_array.push_back(adapters::matrix_of<float>(at.map_from_scan));
    out.transform_probability_array.push_back(static_cast<float>(at.transform_probability));
    out.nearest_voxel_transformation_likelihood_array.push_back(static_cast<float>(at.nvtl));
  }
  return out;
}

/// Leaves out the points that an aligner dropped: those that are not finite, and the farthest.
inline void drop_unscored(std::vector<Point>& points, std::size_t dropped) {
  if (dropped == 0) return;
  const auto range = [](const Point& p) {
    const double metres =
        std::hypot(static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z));
    return is_finite(p) ? metres : HUGE_VAL;
  };
  std::vector<double> ranges;
  for (const Point& p : points) ranges.push_back(range(p));
  const auto least = ranges.end() - static_cast<std::ptrdiff_t>(dropped);
  std::ranges::nth_element(ranges, least);
  std::erase_if(points, [&](const Point& p) { return range(p) >= *least; });
}

/// The implementation that the environment names.
inline std::string implementation_wanted() {
  const char* named = std::getenv("NDT_IMPLEMENTATION");
  return named != nullptr && *named != '\0' ? named : "auto";
}

}  // namespace detail

/// Registers scans onto a map in tiles. For one thread at a time, and so is every copy, each with a thread of
/// its own. A copy shares voxels, map and aligner until its tiles change, and costs a few pointers.
template <class PointSource, class PointTarget>
class MultiGridNormalDistributionsTransform {
 public:
  using Ptr = std::shared_ptr<MultiGridNormalDistributionsTransform>;             ///< as Autoware has it
  using ConstPtr = std::shared_ptr<const MultiGridNormalDistributionsTransform>;  ///< as Autoware has it
  using PointCloudSource = ::pcl::PointCloud<PointSource>;                        ///< type of the scan
  using PointCloudSourceConstPtr = typename PointCloudSource::ConstPtr;           ///< shared
  using PointCloudTarget = ::pcl::PointCloud<PointTarget>;                        ///< type of a tile
  using PointCloudTargetConstPtr = typename PointCloudTarget::ConstPtr;           ///< shared

  /// Uses the implementation that the environment variable NDT_IMPLEMENTATION names, or `auto`.
  MultiGridNormalDistributionsTransform() = default;

  /// A name of ndt::implementations() that keeps maps in tiles, or "auto".
  void setImplementation(const std::string& name) {
    implementation_ = name;
    start_again();
  }
  /// Throws std::invalid_argument for a parameter out of range.
  void setParams(const NdtParams& params) {
    detail::options_of(params);
    params_ = params;
    start_again();
  }
  NdtParams getParams() const { return params_; }                      ///< as set, or Autoware's defaults
  int getMaximumIterations() const { return params_.max_iterations; }  ///< the limit

  /// Takes the place of a tile with the same id. The next createVoxelKdtree() makes its voxels.
  void addTarget(const PointCloudTargetConstPtr& cloud, const std::string& target_id) {
    auto points = std::make_shared<const std::vector<Point>>(adapters::cloud_of(*cloud).points);
    tiles_[target_id] = {detail::next_tile(), std::move(points)};
  }
  void removeTarget(const std::string& target_id) { tiles_.erase(target_id); }  ///< nothing if unknown
  /// Makes the voxels of new tiles and the map of all. Alignments and scores use it from now on; those of
  /// copies keep theirs. Throws InputError if float32 holds a tile's coordinates too coarsely.
  void createVoxelKdtree() {
    if (!workshop_ && !tiles_.empty())
      workshop_ = std::make_shared<detail::Workshop>(implementation_, detail::options_of(params_));
    map_ = workshop_ ? workshop_->build(tiles_) : nullptr;
  }
  /// A map of one tile, called "default".
  void setInputTarget(const PointCloudTargetConstPtr& cloud) {
    addTarget(cloud, "default");
    createVoxelKdtree();
  }
  bool hasTarget() const { return !tiles_.empty(); }  ///< whether there is a tile
  /// Ids of the tiles, sorted.
  std::vector<std::string> getCurrentMapIDs() const {
    std::vector<std::string> ids;
    for (const auto& [id, tile] : tiles_) ids.push_back(id);
    return ids;
  }
  /// Centroids of the voxels.
  PointCloudTarget getVoxelPCD() const {
    PointCloudTarget out;
    if (!map_) return out;
    for (const VoxelInfo& voxel : workshop_->with(map_, [](const Aligner& with) { return with.voxels(); })) {
      const Vec3<float> at = cast<float>(voxel.centroid);
      PointTarget& point = out.points.emplace_back();
      point.x = at.x, point.y = at.y, point.z = at.z;
    }
    out.width = static_cast<std::uint32_t>(out.size()), out.height = 1;
    return out;
  }

  /// Pulls alignments along the vehicle's heading towards this pose's x and y.
  void setRegularizationPose(const Eigen::Matrix4f& pose) { regularisation_ = adapters::target_at(pose); }
  void unsetRegularizationPose() { regularisation_.reset(); }  ///< nothing pulls any more

  /// The scan of align(output, guess).
  void setInputSource(const PointCloudSourceConstPtr& source) { source_ = source; }
  /// As below, for the scan of setInputSource(). Throws std::logic_error without one.
  void align(PointCloudSource& output, const Eigen::Matrix4f& guess) {
    if (!source_)
      throw std::logic_error("align: no scan; call setInputSource() or give it as third argument");
    align(output, guess, source_);
  }
  /// Registers the scan; `output` is the scan at the pose found. Without a voxel in the map the guess is
  /// returned. Throws std::invalid_argument if the guess is not rigid.
  void align(PointCloudSource& output, const Eigen::Matrix4f& guess, const PointCloudSourceConstPtr& source) {
    alignEach({guess}, source);
    ::pcl::transformPointCloud(*source, output, result_.pose);
  }
  /// Registers the scan from each guess, all at once where the implementation can. getResult() is the last.
  std::vector<NdtResult> alignEach(const std::vector<Eigen::Matrix4f>& guesses,
                                   const PointCloudSourceConstPtr& source) {
    std::vector<AlignResult> found(guesses.size());
    std::vector<Transform> starts;
    for (const Eigen::Matrix4f& guess : guesses) starts.push_back(adapters::transform_of(guess));
    for (std::size_t k = 0; k < found.size(); ++k) stay_at(starts[k], found[k]);
    PerScan per_scan;
    per_scan.regularisation = regularisation_;
    per_scan.trace = true;
    const PointCloud scan = adapters::cloud_of(*source);
    if (map_ && !found.empty())
      workshop_->with(map_, [&](Aligner& with) {
        if (found.size() > 1) return with.align_batch(scan, starts, found, per_scan);
        found[0] = with.align(scan, starts[0], per_scan);
      });
    std::vector<NdtResult> out;
    for (const AlignResult& one : found) out.push_back(detail::result_of(one));
    if (!out.empty()) result_ = out.back(), converged_ = found.back().stop == Stop::converged;
    return out;
  }

  // The results of the last alignment.
  NdtResult getResult() const { return result_; }                             ///< all of it
  bool hasConverged() const { return converged_; }                            ///< whether the scan fixes it
  Eigen::Matrix4f getFinalTransformation() const { return result_.pose; }     ///< map_from_scan
  int getFinalNumIteration() const { return result_.iteration_num; }          ///< Newton steps
  Eigen::Matrix<double, 6, 6> getHessian() const { return result_.hessian; }  ///< of the score
  /// Score over points.
  double getTransformationProbability() const { return static_cast<double>(result_.transform_probability); }
  /// NVTL.
  double getNearestVoxelTransformationLikelihood() const {
    return static_cast<double>(result_.nearest_voxel_transformation_likelihood);
  }
  /// The guess and the pose after each iteration.
  const Matrix4fArray& getFinalTransformationArray() const { return result_.transformation_array; }

  /// Score over points, of a cloud in the map's frame.
  double calculateTransformationProbability(const PointCloudSource& cloud) const {
    return scoreEach({Eigen::Matrix4f::Identity()}, cloud)[0].transform_probability;
  }
  /// NVTL of a cloud in the map's frame.
  double calculateNearestVoxelTransformationLikelihood(const PointCloudSource& cloud) const {
    return scoreEach({Eigen::Matrix4f::Identity()}, cloud)[0].nvtl;
  }
  /// Scores of a scan at each pose, all at once where the implementation can.
  std::vector<Score> scoreEach(const std::vector<Eigen::Matrix4f>& poses,
                               const PointCloudSource& scan) const {
    std::vector<Score> scores(poses.size());
    std::vector<Transform> at;
    for (const Eigen::Matrix4f& pose : poses) at.push_back(adapters::transform_of(pose));
    const PointCloud points = adapters::cloud_of(scan);
    if (map_ && !points.empty())
      workshop_->with(map_, [&](Aligner& with) { with.score_batch(points, at, scores); });
    return scores;
  }
  /// The largest score of a voxel, as intensity, of every point of a cloud in the map's frame that has one.
  ::pcl::PointCloud<::pcl::PointXYZI> calculateNearestVoxelScoreEachPoint(
      const PointCloudSource& cloud) const {
    ::pcl::PointCloud<::pcl::PointXYZI> out;
    if (!map_) return out;
    PerScan per_scan;
    per_scan.point_scores = true;
    PointCloud points = adapters::cloud_of(cloud);
    const Evaluation found =
        workshop_->with(map_, [&](Aligner& with) { return with.evaluate(points, Transform(), per_scan); });
    detail::drop_unscored(points.points, static_cast<std::size_t>(found.dropped_points));
    for (std::size_t i = 0; i < found.point_scores.size(); ++i) {
      if (!(found.point_scores[i] > 0)) continue;
      ::pcl::PointXYZI& point = out.points.emplace_back();
      point.x = points.points[i].x, point.y = points.points[i].y, point.z = points.points[i].z;
      point.intensity = found.point_scores[i];
    }
    out.width = static_cast<std::uint32_t>(out.size()), out.height = 1;
    return out;
  }

 private:
  static NdtParams defaults() {
    return {0.1, 0.1, 1, 35, KDTREE, static_cast<int>(std::thread::hardware_concurrency()), 0, false};
  }

  /// An alignment that has no map.
  static void stay_at(const Transform& guess, AlignResult& result) {
    result.map_from_scan = guess;
    result.trace.emplace_back().map_from_scan = guess;
  }

  /// Makes an aligner and the map anew, if they were there.
  void start_again() {
    if (!std::exchange(workshop_, nullptr)) return;
    map_.reset();
    createVoxelKdtree();
  }

  std::string implementation_ = detail::implementation_wanted();
  NdtParams params_ = defaults();
  detail::Tiles tiles_;
  std::shared_ptr<detail::Workshop> workshop_;
  detail::MapInUse map_;
  std::optional<RegularisationTarget> regularisation_;
  PointCloudSourceConstPtr source_;
  NdtResult result_;
  bool converged_ = false;
};

}  // namespace ndt::autoware

/// The node's names stay as they are. Where Autoware's own headers are included as well, theirs win.
namespace pclomp {
using namespace ndt::autoware;
}
