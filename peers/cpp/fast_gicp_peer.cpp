// koide3/fast_gicp as a peer: fast_gicp_peer GICP | VGICP. Its own defaults, clouds thinned to 0.25 m.
#include <pcl/filters/voxel_grid.h>

#include <fast_gicp/gicp/fast_gicp.hpp>
#include <fast_gicp/gicp/fast_vgicp.hpp>
#include <fast_gicp/gicp/impl/fast_gicp_impl.hpp>

#include "serve.hpp"

namespace {

/// The library finds covariances when it first aligns; here they belong to the preparation.
template <class Base>
class FastGicp : public Base {
 public:
  FastGicp() {
    this->setMaxCorrespondenceDistance(1.0);
    ndt_peer::spare_tree<Base>(*this);
  }
  void prepare_map(const ndt_peer::Cloud::Ptr& cloud, int threads, float) {
    this->setNumThreads(threads);
    this->setInputTarget(thinned(cloud));
    this->template calculate_covariances<pcl::PointXYZ>(this->target_, *this->search_target_,
                                                        this->target_covs_);
  }
  void prepare_scan(const ndt_peer::Cloud::Ptr& cloud, int threads) {
    this->setNumThreads(threads);
    this->setInputSource(thinned(cloud));
    this->template calculate_covariances<pcl::PointXYZ>(this->input_, *this->search_source_,
                                                        this->source_covs_);
  }
  ndt_peer::Outcome align(const Eigen::Matrix4f& guess, int threads) {
    this->setNumThreads(threads);
    ndt_peer::Cloud moved;
    Base::align(moved, guess);
    return {this->getFinalTransformation(), this->hasConverged(), this->nr_iterations_ + 1};
  }

 private:
  static ndt_peer::Cloud::Ptr thinned(const ndt_peer::Cloud::Ptr& cloud) {
    const ndt_peer::Cloud::Ptr out(new ndt_peer::Cloud);
    pcl::VoxelGrid<pcl::PointXYZ> grid;
    grid.setLeafSize(0.25F, 0.25F, 0.25F);
    grid.setInputCloud(cloud);
    grid.filter(*out);
    return out;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  if (what == "GICP") {
    FastGicp<fast_gicp::FastGICP<pcl::PointXYZ, pcl::PointXYZ>> method;
    ndt_peer::serve(method);
  } else if (what == "VGICP") {
    FastGicp<fast_gicp::FastVGICP<pcl::PointXYZ, pcl::PointXYZ>> method;
    ndt_peer::serve(method);
  } else {
    std::cerr << "usage: fast_gicp_peer GICP | VGICP\n";
    return 2;
  }
}
