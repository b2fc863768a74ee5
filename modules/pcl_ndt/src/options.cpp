#include "options.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ndt::pcl_ndt {
namespace {

template <class Value>
void refuse(std::string_view name, const Value& value, std::string_view why) {
  throw std::invalid_argument(fmt::format("option {} = {}: pcl_ndt {}", name, value, why));
}

}  // namespace

void require_offered(const AlignOptions& o) {
  if (o.neighbours != Neighbours::radius)
    refuse("neighbours", to_string(o.neighbours), "always searches the radius of one resolution");
  if (o.line_search == LineSearch::batched)
    refuse("line-search", "batched", "always runs PCL's own More-Thuente search");
  if (o.step_ratios != AlignOptions{}.step_ratios)
    refuse("candidates", to_string(o.step_ratios), "has no batched line search");
  if (o.newton_step != NewtonStep::reference)
    refuse("newton-step", to_string(o.newton_step), "solves with PCL's SVD and reverses a downhill step");
  if (o.regularisation_scale != AlignOptions{}.regularisation_scale && o.regularisation_scale != 0)
    refuse("reg-scale", o.regularisation_scale, "has no regularisation");
}

void require_offered(const PerScan& per_scan) {
  if (per_scan.regularisation) refuse("reg-x", per_scan.regularisation->x, "has no regularisation");
}

}  // namespace ndt::pcl_ndt
