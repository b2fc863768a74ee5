// Reports of how far a long piece of work is: measuring and generating report, the command line shows.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ndt::harness {

struct Progress {
  std::size_t done = 0, total = 0;  ///< measurements of a run, percent of a generated dataset
  std::string now;                  ///< what is measured or generated
};

/// Called after each step, on the working thread. May be empty.
using ReportProgress = std::function<void(const Progress&)>;

}  // namespace ndt::harness
