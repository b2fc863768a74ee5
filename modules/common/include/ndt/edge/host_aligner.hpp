// The common part of all aligners on the CPU: a pool of threads, the voxel map, and scores of poses. An
// implementation adds submit_runs().
#pragma once

#include <memory>

#include "ndt/edge/loop_aligner.hpp"
#include "ndt/edge/tiled_map.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt {

/// Tiles in host memory, for maps of every HostAligner.
std::unique_ptr<ResidentMap> host_resident_map(const AlignOptions& options);

class HostAligner : public LoopAligner {
 public:
  MapInfo set_map(const Scan& map) final;
  std::unique_ptr<ResidentMap> resident_map() const final { return host_resident_map(options()); }
  std::shared_ptr<const ReadyMap> exchange_map(std::shared_ptr<const ReadyMap> map) final;
  std::vector<VoxelInfo> voxels() const final;

 protected:
  /// Throws std::invalid_argument for options out of range, std::system_error if the system refuses a thread.
  explicit HostAligner(const AlignOptions& options)
      : LoopAligner(options), pool_(options.threads), workers_(pool_.workers()) {}

  HostPool& pool() { return pool_; }
  /// The last level's map.
  const VoxelMap& map() const { return maps_->last(); }
  const VoxelMap& map(std::size_t level) const { return *maps_->levels()[level]; }

  /// Provides the functions of DeviceAligner with these names, in host memory.
  template <class F>
  void transact(F&& f) {
    f();
  }
  PlacedScan place(const LoopScan& scan, std::span<const LoopRun> runs);
  static void fetch(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines,
                    std::span<LoopRun> runs);

 private:
  using Maps = LevelMaps<VoxelMap>;

  void use(std::shared_ptr<const Maps> maps);
  void wake() final;
  const Workers& workers() const final { return workers_; }
  Point* room_for_scan(std::size_t points, std::size_t poses) final;
  void score(const LoopScan& scan, std::span<const Transform> local_poses, std::span<Score> out) final;
  std::vector<float> point_scores(const LoopScan& scan, const Transform& local_pose) final;

  HostPool pool_;
  const Workers workers_;
  std::shared_ptr<const Maps> maps_;
  std::vector<Point> room_;
  std::vector<Transform> guesses_;
};

}  // namespace ndt
