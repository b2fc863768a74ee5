// NVTX finds a tool that is linked into the program by the pointer at the end.
#include "recorded_ranges.hpp"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

namespace ndt::test {
namespace {

/// Takes the name itself for the handle.
nvtxDomainHandle_t create_domain(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<char*>(name));
}
const char* name_of(nvtxDomainHandle_t domain) { return reinterpret_cast<const char*>(domain); }

int push_range(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) {
  recorded_ranges().push_back(name_of(domain) + std::string(": ") + range->message.ascii);
  return 0;
}
int pop_range(nvtxDomainHandle_t domain) {
  recorded_ranges().emplace_back(name_of(domain));
  return 0;
}

int attach(NvtxGetExportTableFunc_t tables) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(tables(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create_domain);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push_range);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop_range);
  return 1;
}

}  // namespace

std::vector<std::string>& recorded_ranges() {
  static std::vector<std::string> ranges;
  return ranges;
}

}  // namespace ndt::test

extern "C" {
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = ndt::test::attach;
}
