#include "ndt/align/align_result.hpp"

namespace ndt {

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::converged: return "converged";
    case Stop::max_iterations: return "max_iterations";
    case Stop::no_overlap: return "no_overlap";
    case Stop::degenerate: return "degenerate";
    case Stop::non_finite: return "non_finite";
    case Stop::line_search_failed: return "line_search_failed";
    case Stop::cancelled: return "cancelled";
    case Stop::timeout: return "timeout";
  }
  return "?";
}

}  // namespace ndt
