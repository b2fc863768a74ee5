// Autoware's NDT (autoware_core, localization/autoware_ndt_scan_matcher) as a peer, with its node's settings.
// The arguments NEAR FAR LEAF COUNT have it prepare raw scans by PCL's filters. CropBox removes points
// within NEAR m on all axes, and those beyond FAR m on one. VoxelGrid has leaves of LEAF m, and RandomSample
// draws COUNT points.
#include <autoware/ndt_scan_matcher/ndt_omp/multigrid_ndt_omp.h>
#include <pcl/filters/crop_box.h>
#include <pcl/filters/random_sample.h>
#include <pcl/filters/voxel_grid.h>

#include <cstdlib>
#include <optional>

#include "serve.hpp"

namespace {

struct Filters {
  float near_m = 0, far_m = 0, leaf_m = 0;
  unsigned count = 0;

  ndt_peer::Cloud::Ptr operator()(const ndt_peer::Cloud::Ptr& raw) const {
    const auto cropped = [](const ndt_peer::Cloud::Ptr& cloud, float half_m, bool outside) {
      pcl::CropBox<pcl::PointXYZ> box;
      box.setMin({-half_m, -half_m, -half_m, 1});
      box.setMax({half_m, half_m, half_m, 1});
      box.setNegative(outside);
      return filtered(box, cloud);
    };
    pcl::VoxelGrid<pcl::PointXYZ> grid;
    grid.setLeafSize(leaf_m, leaf_m, leaf_m);
    pcl::RandomSample<pcl::PointXYZ> sample;
    sample.setSample(count);
    return filtered(sample, filtered(grid, cropped(cropped(raw, far_m, false), near_m, true)));
  }

 private:
  template <class Filter>
  static ndt_peer::Cloud::Ptr filtered(Filter& filter, const ndt_peer::Cloud::Ptr& cloud) {
    const ndt_peer::Cloud::Ptr out(new ndt_peer::Cloud);
    filter.setInputCloud(cloud);
    filter.filter(*out);
    return out;
  }
};

class AutowareNdt {
 public:
  explicit AutowareNdt(const std::optional<Filters>& filters) : filters_(filters) {}
  void prepare_map(const ndt_peer::Cloud::Ptr& cloud, int threads, float resolution_m) {
    parameters_.resolution = resolution_m;
    set_threads(threads);
    ndt_.setInputTarget(cloud);
  }
  void prepare_scan(const ndt_peer::Cloud::Ptr& cloud, int) { scan_ = filters_ ? (*filters_)(cloud) : cloud; }
  ndt_peer::Outcome align(const Eigen::Matrix4f& guess, int threads) {
    if (threads != parameters_.num_threads) set_threads(threads);
    ndt_peer::Cloud moved;
    ndt_.align(moved, guess, scan_);
    const int iterations = ndt_.getFinalNumIteration();
    return {ndt_.getFinalTransformation(), iterations < parameters_.max_iterations, iterations};
  }

 private:
  void set_threads(int threads) {
    parameters_.trans_epsilon = 0.01;
    parameters_.step_size = 0.1;
    parameters_.max_iterations = NDT_PEER_ITERATIONS;
    parameters_.search_method = pclomp::KDTREE;
    parameters_.num_threads = threads;
    ndt_.setParams(parameters_);
  }

  pclomp::MultiGridNormalDistributionsTransform<pcl::PointXYZ, pcl::PointXYZ> ndt_;
  pclomp::NdtParams parameters_;
  std::optional<Filters> filters_;
  ndt_peer::Cloud::Ptr scan_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int k) { return std::strtof(argv[k], nullptr); };
  std::optional<Filters> filters;
  if (argc == 5) filters = Filters{number(1), number(2), number(3), static_cast<unsigned>(number(4))};
  AutowareNdt method(filters);
  ndt_peer::serve(method);
}
