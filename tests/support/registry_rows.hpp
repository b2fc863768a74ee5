// How a row of the registry appears in test names and messages.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "registry/registry.hpp"

namespace ndt::harness {

inline void PrintTo(const AlignerEntry& row, std::ostream* out) { *out << row.name; }

}  // namespace ndt::harness

namespace ndt {

inline std::string row_name(const testing::TestParamInfo<harness::AlignerEntry>& row) {
  return std::string(row.param.name);
}

}  // namespace ndt
