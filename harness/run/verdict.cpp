#include "run/verdict.hpp"

#include <fmt/format.h>

#include "ndt/initial_pose/search_options.hpp"

namespace ndt::harness {
namespace {

std::string doubt_of(const AlignResult& result, const AlignOptions& options, const Implementation& entry,
                     const std::optional<double>& least) {
  if (result.stop != Stop::converged) return fmt::format("it ended as {}", to_string(result.stop));
  if (!least)
    return fmt::format("no NVTL threshold is known for {}, so a wrong optimum cannot be told",
                       entry.peer ? std::string(entry.name) : initial_pose::unknown_scale(options));
  if (!(result.nvtl > *least))
    return fmt::format("NVTL {:.4f} is not above {:g}; it may have converged in a wrong place", result.nvtl,
                       *least);
  return {};
}

}  // namespace

Verdict verdict_of(const AlignResult& result, const AlignOptions& options, const Implementation& entry) {
  Verdict verdict;
  if (!entry.peer) verdict.reliable_nvtl = initial_pose::known_reliable_nvtl(options);
  verdict.doubt = doubt_of(result, options, entry, verdict.reliable_nvtl);
  return verdict;
}

std::string to_text(const Verdict& verdict) { return verdict.ok() ? "ok" : "doubtful: " + verdict.doubt; }

}  // namespace ndt::harness
