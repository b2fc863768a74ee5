// koide3/fast_gicp's NDTCuda as a peer: fast_gicp_cuda_peer D2D | P2D. Its own defaults, voxels as the dataset asks.
#include <fast_gicp/cuda/ndt_cuda.cuh>
#include <fast_gicp/gicp/impl/lsq_registration_impl.hpp>
#include <fast_gicp/ndt/impl/ndt_cuda_impl.hpp>
#include <fast_gicp/ndt/ndt_cuda.hpp>

#include "serve.hpp"

namespace {

using Base = fast_gicp::NDTCuda<pcl::PointXYZ, pcl::PointXYZ>;

/// The library makes voxels when it first aligns; here they belong to the preparation.
class NdtCuda : public Base {
 public:
  explicit NdtCuda(fast_gicp::NDTDistanceMode mode) {
    setDistanceMode(mode);
    ndt_peer::spare_tree<Base>(*this);
  }
  void prepare_map(const ndt_peer::Cloud::Ptr& cloud, int, float resolution_m) {
    setResolution(resolution_m);
    setInputTarget(cloud);
    ndt_cuda_->create_target_voxelmap();
    cudaDeviceSynchronize();
  }
  void prepare_scan(const ndt_peer::Cloud::Ptr& cloud, int) {
    setInputSource(cloud);
    ndt_cuda_->create_source_voxelmap();
    cudaDeviceSynchronize();
  }
  ndt_peer::Outcome align(const Eigen::Matrix4f& guess, int) {
    ndt_peer::Cloud moved;
    Base::align(moved, guess);
    return {getFinalTransformation(), hasConverged(), nr_iterations_ + 1};
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  if (what != "D2D" && what != "P2D") {
    std::cerr << "usage: fast_gicp_cuda_peer D2D | P2D\n";
    return 2;
  }
  NdtCuda method(what == "D2D" ? fast_gicp::NDTDistanceMode::D2D : fast_gicp::NDTDistanceMode::P2D);
  ndt_peer::serve(method);
}
