// Silence between two measurements.
#pragma once

namespace ndt::harness {

/// Waits until the threads of this process are asleep, at most 120 ms. Idle workers of OpenMP and of thread pools spin
/// for some milliseconds before they sleep, and would take a core from whoever is timed next.
void settle();

}  // namespace ndt::harness
