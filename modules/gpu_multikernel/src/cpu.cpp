// multikernel_cpu: the staged schedule on host loops.
#include "aligners.hpp"
#include "host_backend.hpp"
#include "ndt/edge/host_aligner.hpp"
#include "staged_aligner.hpp"

namespace ndt::gpu_multikernel {

std::unique_ptr<Aligner> make_cpu_aligner(const AlignOptions& options) {
  return std::make_unique<StagedAligner<HostAligner, HostBackend>>(options);
}

}  // namespace ndt::gpu_multikernel
