// How far the pose of one alignment can be trusted, in one line.
#pragma once

#include <optional>
#include <string>

#include "ndt/align/implementation.hpp"

namespace ndt::harness {

struct Verdict {
  std::string doubt;                    ///< why the pose is doubtful; empty: it is not
  std::optional<double> reliable_nvtl;  ///< what its NVTL had to exceed, where that is known
  bool ok() const { return doubt.empty(); }
};

/// ok: converged, and with an NVTL above the threshold known for the options. Wrong optima converge too;
/// their NVTL is lower.
Verdict verdict_of(const AlignResult& result, const AlignOptions& options, const Implementation& entry);
/// "ok", or "doubtful: " and the doubt.
std::string to_text(const Verdict& verdict);

}  // namespace ndt::harness
