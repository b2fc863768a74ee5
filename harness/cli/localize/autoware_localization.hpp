// The parameters of Autoware that localize takes: gates, covariance, GNSS, and the map that follows.
#pragma once

#include "cli/common/autoware_params.hpp"
#include "cli/localize/localize_aligners.hpp"
#include "localize/run_record.hpp"
#include "ndt/localization/localizer_options.hpp"

namespace ndt::harness {

/// The options that localize takes beside its alignments.
struct AutowareLocalization {
  Given<localization::kLocalizerOptions>* options = nullptr;
  LocalizeMapArguments* map = nullptr;
  std::string* gnss = nullptr;
  std::optional<double>*critical_ms = nullptr, *points_timeout_s = nullptr;
  std::vector<localization::Offset>* offsets = nullptr;
  std::optional<double>* reliable_nvtl = nullptr;
  FrameNames* frames = nullptr;
};
void take_localization(AutowareParams& params, const AutowareLocalization& given);

}  // namespace ndt::harness
