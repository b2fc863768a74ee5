#include "registry/align_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "base/unknown_name.hpp"

namespace ndt::harness {
namespace {

const std::vector<std::string> kProfiles = {"autoware", "textbook"};

AlignOptions profile(const std::string& name) {
  if (name == kProfiles[0]) return AlignOptions::autoware();
  if (name == kProfiles[1]) return AlignOptions::textbook();
  throw unknown_name("--profile", name, kProfiles);
}

template <class Enum>
std::vector<std::string> names_of(const std::vector<Enum>& all) {
  std::vector<std::string> names;
  for (const Enum value : all) names.emplace_back(to_string(value));
  return names;
}

template <class Enum>
std::string joined(const std::vector<Enum>& all) {
  return fmt::format("{}", fmt::join(names_of(all), ", "));
}

template <class Enum>
void assign(Enum& target, const std::optional<std::string>& name, const char* option, const std::vector<Enum>& all) {
  if (!name) return;
  for (const Enum value : all)
    if (to_string(value) == *name) {
      target = value;
      return;
    }
  throw unknown_name(option, *name, names_of(all));
}

template <class T>
void assign(T& target, const std::optional<T>& value) {
  if (value) target = *value;
}

}  // namespace

AlignOptions resolve(const AlignArguments& a) {
  AlignOptions options = profile(a.profile);
  assign(options.resolution_m, a.resolution_m);
  assign(options.step_m, a.step_m);
  assign(options.epsilon_m, a.epsilon_m);
  assign(options.max_iterations, a.max_iterations);
  assign(options.outlier_ratio, a.outlier_ratio);
  assign(options.neighbours, a.neighbours, "--neighbours", all_neighbours());
  assign(options.line_search, a.line_search, "--line-search", all_line_searches());
  assign(options.step_ratios, a.candidates, "--candidates", all_step_ratios());
  assign(options.covariance_start, a.covariance_start, "--covariance-start", all_covariance_starts());
  assign(options.regularisation_scale, a.regularisation_scale);
  assign(options.threads, a.threads);
  validate(options);
  return options;
}

namespace {

std::chrono::steady_clock::time_point deadline_after(double timeout_ms) {
  constexpr double kDayMs = 24 * 3600 * 1000.0;
  if (!(timeout_ms > 0 && timeout_ms <= kDayMs))
    throw UsageError(fmt::format("--timeout-ms = {}: must be in (0, {:.0f}]", timeout_ms, kDayMs));
  const std::chrono::duration<double, std::milli> span(timeout_ms);
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(span);
}

std::optional<RegularisationTarget> regularisation(const AlignArguments& a) {
  if (a.regularisation_x_m.has_value() != a.regularisation_y_m.has_value())
    throw UsageError(a.regularisation_x_m ? "--reg-x needs --reg-y" : "--reg-y needs --reg-x");
  if (!a.regularisation_x_m) return {};
  for (const double value : {*a.regularisation_x_m, *a.regularisation_y_m})
    if (!std::isfinite(value)) throw UsageError(fmt::format("--reg-x, --reg-y: {} is not finite", value));
  return RegularisationTarget{*a.regularisation_x_m, *a.regularisation_y_m};
}

}  // namespace

PerScan per_scan(const AlignArguments& a) {
  PerScan out;
  out.regularisation = regularisation(a);
  if (a.timeout_ms) out.deadline = deadline_after(*a.timeout_ms);
  return out;
}

std::string profile_names() { return fmt::format("{}", fmt::join(kProfiles, ", ")); }
std::string neighbours_names() { return joined(all_neighbours()); }
std::string line_search_names() { return joined(all_line_searches()); }
std::string candidate_set_names() { return joined(all_step_ratios()); }
std::string covariance_start_names() { return joined(all_covariance_starts()); }

}  // namespace ndt::harness
