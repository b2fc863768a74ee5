// How fast the machine is right now.
#pragma once

namespace ndt::harness {

/// Median time of a few runs of a fixed workload on one thread, microseconds: a chain of floating-point operations that
/// nothing but the core's speed and other work on it can change.
double calibration_us();

}  // namespace ndt::harness
