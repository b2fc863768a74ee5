// A localisation with its progress on stderr, its outputs scan by scan, and what Ctrl-C leaves of them.
#pragma once

#include "cli/common/progress_line.hpp"
#include "cli/localize/print_localize.hpp"

namespace ndt::harness {

/// Localises every scan, and ends the progress line. Ctrl-C ends it after a scan and leaves the files of the
/// scans so far, which are named.
LocalizeSummary follow_recording(localization::Localizer& localizer, const LocalizeInput& input,
                                 LocalizeOutputs& outputs, ProgressLine& progress);

}  // namespace ndt::harness
