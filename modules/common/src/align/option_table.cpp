#include "ndt/align/option_table.hpp"

#include <stdexcept>

#include "ndt/align/align_options.hpp"
#include "ndt/core/formatted.hpp"

namespace ndt {
namespace {

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value>)
    return formatted("{}", value);
  else
    return std::string(to_string(value));
}

/// Refuses an option that differs from its default, because it would do nothing.
template <class Value>
void require_default(const AlignOptions& options, Value AlignOptions::*member, std::string_view reason) {
  if (options.*member == AlignOptions{}.*member) return;
  for_each_option(kAlignOptions, [&]<class Other>(const Option<AlignOptions, Other>& option) {
    if constexpr (std::is_same_v<Other, Value>)
      if (option.member == member)
        throw std::invalid_argument(
            formatted("option {} = {}: {}", option.name, text_of(options.*member), reason));
  });
}

void require_use_of_all(const AlignOptions& options) {
  if (options.finish == Finish::none) {
    constexpr std::string_view kNeeds = "needs finish windows";
    require_default(options, &AlignOptions::finish_window, kNeeds);
    require_default(options, &AlignOptions::finish_min_points, kNeeds);
    require_default(options, &AlignOptions::finish_eigenvalue_ratio, kNeeds);
  }
  if (options.step_control == StepControl::clamped) {
    constexpr std::string_view kNeeds = "needs step-control trust_region";
    require_default(options, &AlignOptions::levels, kNeeds);
    require_default(options, &AlignOptions::negative_curvature, kNeeds);
    require_default(options, &AlignOptions::coarse_stride, kNeeds);
    require_default(options, &AlignOptions::finish, kNeeds);
    return;
  }
  constexpr std::string_view kRadii = "step-control trust_region takes its radii and its end from the levels";
  require_default(options, &AlignOptions::step_m, kRadii);
  require_default(options, &AlignOptions::epsilon_m, kRadii);
  require_default(options, &AlignOptions::line_search, "step-control trust_region has no line search");
  require_default(options, &AlignOptions::step_ratios, "step-control trust_region has no line search");
  require_default(options, &AlignOptions::newton_step, "step-control trust_region has its own damping");
  require_default(options, &AlignOptions::hessian, "step-control trust_region requires the exact one");
  if (options.levels.size() == 1)
    require_default(options, &AlignOptions::coarse_stride, "needs a coarse level");
}

}  // namespace

void validate(const AlignOptions& options) {
  require_within(kAlignOptions, options);
  require_use_of_all(options);
}

}  // namespace ndt
