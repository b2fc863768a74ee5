// When and where on its drive the scanner scans: every few metres, or at a fixed rate on a car that keeps to
// a car's speeds.
#pragma once

#include <vector>

#include "town/drive.hpp"
#include "town/town_plan.hpp"

namespace ndt::harness::town {

struct ScanStop {
  double time_s = 0, along_m = 0;
  double speed_m_s = 0;  ///< of a car
  bool carried = false;  ///< it was not driven here from the stop before
};

/// The scans of a plan's drive in their order, the first at its start. A car starts from a stand and slows
/// down for turns; the drive ends where it ends, at speed. A jump of the plan is one between two scans.
std::vector<ScanStop> scan_stops(const TownPlan& plan, const Drive& drive);

}  // namespace ndt::harness::town
