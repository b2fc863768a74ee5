// How an implementation of the registry appears in test names and messages.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "registry/registry.hpp"

namespace ndt {

inline void PrintTo(const Implementation& implementation, std::ostream* out) { *out << implementation.name; }

inline std::string implementation_name(const testing::TestParamInfo<Implementation>& info) {
  return std::string(info.param.name);
}

}  // namespace ndt
