#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/terminal.hpp"
#include "cli/common/interruptible.hpp"
#include "cli/localize/print_localize.hpp"

namespace ndt::harness {

LocalizeSummary follow_recording(localization::Localizer& localizer, const LocalizeInput& input,
                                 LocalizeOutputs& outputs, ProgressLine& progress) {
  const std::size_t scans = input.sequence->scans.size();
  std::size_t done = 0;
  const auto all = [&] {
    LocalizeSummary summary = localize_all(localizer, input, [&](const LocalizedScan& scan) {
      outputs.append(scan);
      done = scan.frame + 1;
      const std::string search = progress_words(*scan.report);
      progress.show({.done = done,
                     .total = scans,
                     .now = search.empty() ? scan.scan->name : scan.scan->name + ", lost, " + search});
      if (done < scans) Interruption::check();
    });
    end_live_line();
    outputs.finish();
    return summary;
  };
  return interruptible(all, [&] {
    outputs.finish();
    const std::string folder = printable_name(outputs.folder().string());
    return fmt::format("{} of {} scans are in {}: {}; see them: ndt-bench report {}", done, scans, folder,
                       outputs.names(), folder);
  });
}

}  // namespace ndt::harness
