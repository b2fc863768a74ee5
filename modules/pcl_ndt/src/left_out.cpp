// The row in a build without PCL. The registry says why before anyone gets here.
#include <stdexcept>

#include "ndt/pcl_ndt/aligner.hpp"

namespace ndt::pcl_ndt {

std::unique_ptr<Aligner> make_aligner(const AlignOptions&) {
  throw std::logic_error("pcl_ndt: this program was built without PCL");
}

}  // namespace ndt::pcl_ndt
