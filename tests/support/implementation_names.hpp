// How an implementation of the registry appears in test names and messages, and which ones are compared.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "registry/registry.hpp"

namespace ndt {

inline void PrintTo(const Implementation& implementation, std::ostream* out) { *out << implementation.name; }

inline std::string implementation_name(const testing::TestParamInfo<Implementation>& info) {
  return std::string(info.param.name);
}

/// The implementations whose numbers must be the reference's: all but peers.
inline std::vector<Implementation> implementations_without_peers() {
  std::vector<Implementation> out;
  for (const Implementation& entry : harness::implementations())
    if (!entry.peer) out.push_back(entry);
  return out;
}
/// The implementations of the shared core, which are compared with the oracle.
inline std::vector<Implementation> shared_core_implementations() {
  std::vector<Implementation> out = implementations_without_peers();
  std::erase_if(out, [](const Implementation& entry) { return entry.name == harness::kReference; });
  return out;
}

}  // namespace ndt
