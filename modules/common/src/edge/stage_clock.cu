// The NVTX ranges of the stages. Without a profiler they do nothing.
#include <nvtx3/nvToolsExt.h>

#include "ndt/edge/stage_clock.hpp"

namespace ndt {
namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t ndt = nvtxDomainCreateA("ndt");
  return ndt;
}

}  // namespace

void open_range(const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

void close_range() { nvtxDomainRangePop(domain()); }

}  // namespace ndt
