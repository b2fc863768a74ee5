#include "ndt/initial_pose/search_options.hpp"

#include "ndt/align/option_bounds.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::initial_pose {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::random: return "random";
    case Method::grid: return "grid";
    case Method::tpe: break;
  }
  return "tpe";
}

std::span<const Strategy> strategies() {
  static constexpr Strategy kAll[] = {
      {"sequential", false, false, "one particle after the other, on any implementation: the baseline"},
      {"batched", true, false, "the start-up in one batch, guided particles one by one (design 16)"},
      {"batched_persistent", true, true, "the start-up in one batch, guided particles in rounds"}};
  return kAll;
}

void validate(const SearchOptions& o) {
  const auto most = static_cast<std::int64_t>(Limits::kBatch);
  require_whole("particles", o.particles, 1, most);
  require_whole("startup", o.startup, 0, most);
  require_whole("at-once", o.at_once, 1, most);
  require_whole("candidates", o.candidates, 1, most);
  require_closed("reliable-nvtl", o.reliable_nvtl, 0, 1000);
}

}  // namespace ndt::initial_pose
