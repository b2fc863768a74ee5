#include "ndt/pcl_ndt/implementations.hpp"

#include <string>

#include "aligner.hpp"

namespace ndt::pcl_ndt {
namespace {

std::string unavailable_reason() {
  const std::string why = NDT_PCL_LEFT_OUT;
  return why.empty() ? "" : "built without PCL: " + why;
}

const Implementation kImplementations[] = {
    {.name = "pcl_ndt",
     .runs_on = "CPU, one thread",
     .schedule = "pcl::NormalDistributionsTransform, a peer: PCL's own algorithm from end to end",
     .unavailable_reason = unavailable_reason,
     .make = make_aligner,
     .one_thread = true,
     .regularises = false,
     .peer = true,
     .note = "stops after a step of at most epsilon m and at most epsilon rad; line search, covariance "
             "start: PCL's own",
     .stop_rule = "compares the squared translation of a step with its transformation epsilon and the cosine "
                  "of its rotation "
                  "with "
                  "its rotation epsilon; given epsilon^2 and cos(epsilon) here, so it stops at epsilon m and "
                  "epsilon rad: given "
                  "epsilon as it is, every alignment with the default options would end after one step "
                  "(0.1^2 <= 0.01)"},
};

}  // namespace

std::span<const Implementation> implementations() { return kImplementations; }

}  // namespace ndt::pcl_ndt
