// How a row of the registry appears in test names and messages.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "registry/registry.hpp"

namespace ndt {

inline void PrintTo(const Implementation& row, std::ostream* out) { *out << row.name; }

inline std::string row_name(const testing::TestParamInfo<Implementation>& row) {
  return std::string(row.param.name);
}

}  // namespace ndt
