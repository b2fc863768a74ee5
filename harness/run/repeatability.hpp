// The numbers that repeated alignments of one input must share: the bits of their results, and their copies,
// launches and waits.
#pragma once

#include <cstdint>
#include <optional>

#include "ndt/align/align_result.hpp"
#include "ndt/core/counters.hpp"

namespace ndt::harness {

/// Pose, outcome, counts, scores, Hessian and conditioning; not the trace.
bool same_bits(const AlignResult& a, const AlignResult& b);

/// One of the counts of what an alignment moved to and from a device and asked of it, from the totals that
/// its aligner keeps.
struct TrafficCount {
  const char* name;  ///< key of results.jsonl
  std::int64_t Traffic::*value;
};

/// In the order of results.jsonl.
inline constexpr TrafficCount kTrafficCounts[] = {{"upload_bytes", &Traffic::upload_bytes},
                                                  {"uploads", &Traffic::uploads},
                                                  {"download_bytes", &Traffic::download_bytes},
                                                  {"downloads", &Traffic::downloads},
                                                  {"launches", &Traffic::launches},
                                                  {"synchronisations", &Traffic::synchronisations},
                                                  {"allocations", &Traffic::allocations},
                                                  {"peak_device_bytes", &Traffic::peak_device_bytes}};

/// Subtracts two totals of one aligner. device_bytes and peak_device_bytes are states, so they are those
/// after.
Traffic traffic_between(const Traffic& before, const Traffic& after);

/// Adds one alignment to a measurement, whose alignments must all copy, launch and wait alike:
/// RegressionError with the count that differs. Allocations may differ; the measurement keeps the
/// largest number, which should be 0 after an aligner's first alignment.
void add_alignment(std::optional<Traffic>& measurement, const Traffic& alignment);

}  // namespace ndt::harness
