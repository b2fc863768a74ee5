#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "ndt/align/option_table.hpp"

namespace ndt::pcl_ndt {
namespace {

template <class Value>
void refuse(std::string_view name, const Value& value, std::string_view why) {
  throw std::invalid_argument(fmt::format("option {} = {}: pcl_ndt {}", name, value, why));
}

/// An option in which PCL has no choice: the values whose meaning it keeps, and what it does instead of other
/// values.
template <class Value>
struct Kept {
  Value AlignOptions::*member;
  std::vector<Value> values;
  std::string_view why;

  void require(const Option<AlignOptions, Value>& option, const AlignOptions& options) const {
    const Value value = options.*member;
    if (option.member != member || std::ranges::find(values, value) != values.end()) return;
    if constexpr (std::is_enum_v<Value>)
      refuse(option.name, to_string(value), why);
    else
      refuse(option.name, value, why);
  }
  /// Accepts options of other types.
  template <class Other>
  void require(const Other&, const AlignOptions&) const {}
};

}  // namespace

void require_offered(const AlignOptions& options) {
  const std::tuple kept{
      Kept<Neighbours>{
          &AlignOptions::neighbours, {Neighbours::radius}, "always searches the radius of one resolution"},
      Kept<LineSearch>{&AlignOptions::line_search,
                       {LineSearch::off, LineSearch::more_thuente},
                       "always runs PCL's own More-Thuente search"},
      Kept<StepRatios>{&AlignOptions::step_ratios, {StepRatios::fixed8}, "has no batched line search"},
      Kept<NewtonStep>{&AlignOptions::newton_step,
                       {NewtonStep::reference},
                       "solves with PCL's SVD and reverses a downhill step"},
      Kept<HessianForm>{
          &AlignOptions::hessian, {HessianForm::exact}, "has the Hessian of PCL 1.13, which is exact"},
      Kept<StepControl>{&AlignOptions::step_control, {StepControl::clamped}, "always runs PCL's own loop"},
      Kept<double>{&AlignOptions::regularisation_scale,
                   {AlignOptions{}.regularisation_scale, 0},
                   "has no regularisation"}};
  for_each_option(kAlignOptions, [&](const auto& option) {
    std::apply([&](const auto&... rule) { (rule.require(option, options), ...); }, kept);
  });
}

void require_offered(const PerScan& per_scan) {
  if (per_scan.regularisation) refuse("reg-x", per_scan.regularisation->x, "has no regularisation");
}

}  // namespace ndt::pcl_ndt
