#include "cli/common/prior_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors.hpp"
#include "cli/common/flags.hpp"
#include "ndt/align/option.hpp"
#include "ndt/initial_pose/place_pyramid.hpp"
#include "ndt/io/numbers.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Method;

PriorKind kind_of(const PriorArguments& a, const ResolvedSearch& setting) {
  if (a.kind) return named<PriorKind>("--prior", *a.kind);
  if (!a.box.empty()) return PriorKind::box;
  const bool anywhere = !setting.is_own() && setting.options.method == Method::anywhere;
  return anywhere && a.guess.empty() && a.sigma.empty() ? PriorKind::map : PriorKind::pose;
}

void require_guess_and_sigma(const PriorArguments& a) {
  if (a.guess.empty()) throw UsageError("--guess is required with --prior pose; --prior map needs none");
  if (a.sigma.empty()) throw UsageError("--sigma is required with --guess; --prior map needs none");
}

void take_box(const PriorArguments& a, ResolvedPrior& prior) {
  const std::optional<CropBox> box = box_from(a.box, "--box");
  if (!box) throw UsageError("--box is required with --prior box");
  prior.low = box->low, prior.high = box->high;
  if (!(box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z))
    throw UsageError("--box: the first corner must be below the second; give x0,y0,z0,x1,y1,z1 in metres");
}

/// Requires options that go with the prior, and a method that can use the prior.
void require_fitting(const PriorArguments& a, PriorKind kind, const ResolvedSearch& setting) {
  const bool anywhere = !setting.is_own() && setting.options.method == Method::anywhere;
  if (!anywhere) {
    const std::string_view method =
        setting.is_own() ? setting.strategy.name : std::string_view(to_string(setting.options.method));
    const char* needs = kind == PriorKind::map && !setting.is_own() ? "--prior map"
                        : kind == PriorKind::box                    ? "--box"
                        : a.sigma_yaw && setting.is_own()           ? "--sigma-yaw"
                        : a.place_cell                              ? "--place-cell"
                        : !a.up.empty()                             ? "--up"
                                                                    : nullptr;
    if (needs)
      throw UsageError(
          fmt::format("{} requires --method anywhere; {} searches around a guess", needs, method));
  }
  if (kind != PriorKind::box && !a.box.empty())
    throw UsageError(
        fmt::format("--box requires --prior box, not {}; remove one of the two", to_string(kind)));
  if (kind != PriorKind::pose && !a.sigma.empty())
    throw UsageError(
        fmt::format("--sigma requires --prior pose, not {}; remove one of the two", to_string(kind)));
  if (kind != PriorKind::map && !a.up.empty())
    throw UsageError(fmt::format("--up requires --prior map, not {}; turn the map level, or remove --up",
                                 to_string(kind)));
  if (a.sigma_yaw && a.guess.empty())
    throw UsageError("--sigma-yaw requires --guess: it is a deviation from the guess's heading");
}

}  // namespace

void take_sigma(const std::vector<std::string>& words, initial_pose::PosePrior& prior) {
  const std::vector<double> sigma = parse_numbers(fmt::format("{}", fmt::join(words, " ")), "--sigma");
  if (sigma.size() != 5)
    throw UsageError(
        fmt::format("--sigma: {} numbers; give 5: x, y, z in metres, roll, pitch in radians", sigma.size()));
  std::ranges::copy(sigma, prior.sigma);
}

Vec3<double> up_from(const std::vector<std::string>& words) {
  if (words.empty()) return {0, 0, 1};
  const std::vector<double> up = parse_numbers(fmt::format("{}", fmt::join(words, " ")), "--up");
  if (up.size() != 3 || std::ranges::all_of(up, [](double part) { return part == 0; }))
    throw UsageError(fmt::format("--up: '{}' is no direction; give three numbers x,y,z that are not all 0",
                                 fmt::join(words, " ")));
  return {up[0], up[1], up[2]};
}

void add_up_flag(CLI::App& command, std::vector<std::string>& words, const char* with) {
  command
      .add_option(
          "--up", words,
          fmt::format("{}: the direction x,y,z in the map that points up, for a map that is not level "
                      "(default: 0,0,1)",
                      with))
      ->type_name("UP")
      ->expected(1, 3);
}

void add_prior_flags(CLI::App& command, PriorArguments& a) {
  command
      .add_option("--prior", a.kind,
                  "where the sensor may be: pose = around --guess within --sigma (default), box = in --box, "
                  "map = anywhere in the map; box and map require and imply --method anywhere")
      ->type_name("NAME");
  add_pose_flag(command, "--guess", a.guess, "required with --prior pose");
  command
      .add_option("--sigma", a.sigma,
                  "standard deviations around the guess: x,y,z in metres, roll,pitch in radians")
      ->type_name("SIGMA")
      ->expected(1, 5);
  command.add_option("--box", a.box, "corners of the sensor's box: x0,y0,z0,x1,y1,z1 in metres")
      ->type_name("BOX")
      ->expected(1, 6);
  command
      .add_option("--sigma-yaw", a.sigma_yaw,
                  "standard deviation of the heading around the guess's, rad (default: any heading)")
      ->type_name("RAD");
  add_up_flag(command, a.up, "with --prior map");
  command
      .add_option("--place-cell", a.place_cell,
                  "edge of the cells of the coarse score, m, method anywhere only (default: half of the last "
                  "level's voxels)")
      ->type_name("M");
}

SearchArguments with_method(SearchArguments given, const PriorArguments& prior) {
  auto& method = given[&initial_pose::SearchOptions::method];
  const bool needs_it = prior.kind ? *prior.kind != to_string(PriorKind::pose) : !prior.box.empty();
  if (!method && needs_it) method = to_string(Method::anywhere);
  return given;
}

ResolvedPrior resolve(const PriorArguments& a, const ResolvedSearch& setting) {
  ResolvedPrior prior;
  prior.kind = kind_of(a, setting);
  require_fitting(a, prior.kind, setting);
  prior.pose.mean = principal(derivative_pose(pose_from(a.guess, "--guess")));
  if (prior.kind == PriorKind::pose) {
    require_guess_and_sigma(a);
    take_sigma(a.sigma, prior.pose);
  }
  if (prior.kind == PriorKind::box) take_box(a, prior);
  prior.up = up_from(a.up);
  prior.pose.sigma_yaw_rad = a.sigma_yaw, prior.place_cell_m = a.place_cell;
  require_valid(prior.pose);
  if (a.place_cell) require_within("place-cell", *a.place_cell, initial_pose::PlacePyramid::kCellBoundsM);
  return prior;
}

}  // namespace ndt::harness
