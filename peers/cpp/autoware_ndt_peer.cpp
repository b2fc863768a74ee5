// Autoware's NDT (autoware_core, localization/autoware_ndt_scan_matcher) as a peer, with its node's settings.
#include <autoware/ndt_scan_matcher/ndt_omp/multigrid_ndt_omp.h>

#include "serve.hpp"

namespace {

class AutowareNdt {
 public:
  void prepare_map(const ndt_peer::Cloud::Ptr& cloud, int threads, float resolution_m) {
    parameters_.resolution = resolution_m;
    set_threads(threads);
    ndt_.setInputTarget(cloud);
  }
  void prepare_scan(const ndt_peer::Cloud::Ptr& cloud, int) { scan_ = cloud; }
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
  ndt_peer::Cloud::Ptr scan_;
};

}  // namespace

int main() {
  AutowareNdt method;
  ndt_peer::serve(method);
}
