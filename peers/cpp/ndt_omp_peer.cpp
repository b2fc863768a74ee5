// koide3/ndt_omp as a peer: ndt_omp_peer KDTREE | DIRECT7 | DIRECT1, with the settings of the profile
// autoware.
#include <pclomp/ndt_omp.h>

#include <map>

#include "serve.hpp"

namespace {

class NdtOmp {
 public:
  explicit NdtOmp(pclomp::NeighborSearchMethod search) {
    ndt_.setStepSize(0.1);
    ndt_.setTransformationEpsilon(0.01);
    ndt_.setMaximumIterations(NDT_PEER_ITERATIONS);
    ndt_.setNeighborhoodSearchMethod(search);
    ndt_peer::spare_tree(ndt_);
  }
  void prepare_map(const ndt_peer::Cloud::Ptr& cloud, int, float resolution_m) {
    ndt_.setResolution(resolution_m);
    ndt_.setInputTarget(cloud);
  }
  void prepare_scan(const ndt_peer::Cloud::Ptr& cloud, int) { ndt_.setInputSource(cloud); }
  ndt_peer::Outcome align(const Eigen::Matrix4f& guess, int threads) {
    ndt_.setNumThreads(threads);
    ndt_peer::Cloud moved;
    ndt_.align(moved, guess);
    // hasConverged() is true at the limit too.
    return {ndt_.getFinalTransformation(), ndt_.getFinalNumIteration() < NDT_PEER_ITERATIONS,
            ndt_.getFinalNumIteration()};
  }

 private:
  pclomp::NormalDistributionsTransform<pcl::PointXYZ, pcl::PointXYZ> ndt_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, pclomp::NeighborSearchMethod> searches = {
      {"KDTREE", pclomp::KDTREE}, {"DIRECT7", pclomp::DIRECT7}, {"DIRECT1", pclomp::DIRECT1}};
  const auto search = searches.find(argc == 2 ? argv[1] : "");
  if (search == searches.end()) {
    std::cerr << "usage: ndt_omp_peer KDTREE | DIRECT7 | DIRECT1\n";
    return 2;
  }
  NdtOmp method(search->second);
  ndt_peer::serve(method);
}
