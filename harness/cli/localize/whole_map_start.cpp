#include "cli/localize/whole_map_start.hpp"

#include <fmt/format.h>

#include "base/standard_streams.hpp"
#include "cli/search/anywhere_with_progress.hpp"

namespace ndt::harness {
namespace {

/// Judged as the searches of the localizer are.
ResolvedSearch setting_of(const WholeMapStart& with) {
  ResolvedSearch setting{initial_pose::default_strategy(), {}};
  setting.options.method = initial_pose::Method::anywhere;
  setting.options.keep_no_returns = true;  // the caller leaves them out, before the filters
  setting.options.reliable_nvtl = with.localizer.reliable_nvtl;
  setting.options.reliable_matched = with.localizer.reliable_matched;
  return setting;
}

/// Such as --init takes it.
std::string words_of(const Transform& pose) {
  const Pose p = principal(derivative_pose(pose));
  return fmt::format("{:.3f},{:.3f},{:.3f},{:.4f},{:.4f},{:.4f}", p.x, p.y, p.z, p.roll, p.pitch, p.yaw);
}

}  // namespace

std::optional<Transform> start_in_whole_map(const WholeMapStart& with, Aligner& aligner,
                                            const PointCloud& map, const PointCloud& scan) {
  notice("ndt-bench: --init search without --guess: the first scan is searched in the whole map\n");
  SearchAnswer answer;
  answer.setting = setting_of(with);
  answer.prior_kind = PriorKind::map;
  answer.unknown_scale = initial_pose::unknown_scale(with.options);
  ResolvedPrior anywhere;
  anywhere.kind = PriorKind::map;
  anywhere.up = with.up;
  AnywhereWithProgress search(map, with.options, with.entry.on_device, anywhere);
  answer.result = search.run(aligner, scan, answer.setting, {});
  answer.anywhere = search.answer();
  const Transform pose = answer.result.best_particle().result.map_from_scan;
  const bool found = answer.result.reliable.value_or(true);
  const bool hangs = answer.anywhere->mounting == Mounting::upside_down;
  notice("ndt-bench: localize: {} {}, {}\n",
         found ? hangs ? "the scanner is mounted upside down, the first scan is at" : "the first scan is at"
               : "lost: no start was found in the whole map; give --guess or --init. "
                 "The best pose is",
         words_of(pose), verdict_text(answer));
  return found ? std::optional(pose) : std::nullopt;
}

}  // namespace ndt::harness
