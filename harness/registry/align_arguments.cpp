#include "registry/align_arguments.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

std::chrono::steady_clock::time_point deadline_after(double timeout_ms) {
  const std::chrono::duration<double, std::milli> span(timeout_ms);
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(span);
}

std::optional<RegularisationTarget> regularisation(const std::optional<double>& x,
                                                   const std::optional<double>& y) {
  if (x.has_value() != y.has_value()) throw UsageError(x ? "--reg-x needs --reg-y" : "--reg-y needs --reg-x");
  if (!x) return {};
  for (const double value : {*x, *y})
    if (!std::isfinite(value)) throw UsageError(fmt::format("--reg-x, --reg-y: {} is not finite", value));
  return RegularisationTarget{*x, *y};
}

}  // namespace

AlignOptions resolve(const AlignArguments& arguments, Guesses guesses) {
  ProfileChoice base;
  arguments.apply_to(base);
  // Also where a search aligns one pose at a time, so that every strategy gives the same bits.
  AlignOptions options = guesses == Guesses::of_a_search ? AlignOptions::of_a_search(base.profile)
                                                         : AlignOptions::of(base.profile);
  arguments.apply_to(options);
  validate(options);
  return options;
}

PerScan per_scan(const AlignArguments& arguments) {
  PerScan out;
  out.regularisation = regularisation(arguments[&ScanOptions::regularisation_x_m],
                                      arguments[&ScanOptions::regularisation_y_m]);
  const auto& timeout_ms = arguments[&ScanOptions::timeout_ms];
  if (!timeout_ms) return out;
  ScanOptions given{0, 0, *timeout_ms};
  require_within(kScanOptions, given);
  out.deadline = deadline_after(*timeout_ms);
  return out;
}

}  // namespace ndt::harness
