// Registration options as the command line, variants and plans give them: what was not given keeps the
// profile's value.
#pragma once

#include <array>
#include <tuple>

#include "ndt/align/aligner.hpp"
#include "ndt/align/option_table.hpp"
#include "registry/given_options.hpp"

namespace ndt::harness {

/// The profile that the other options start from.
struct ProfileChoice {
  Profile profile = Profile::autoware;
};
inline constexpr std::tuple kProfileChoice{
    Option{"profile", &ProfileChoice::profile, Bounds::none(), "NAME", "base of the options below"}};

/// The options that hold for every scan.
struct ScanOptions {
  double regularisation_x_m = 0, regularisation_y_m = 0, timeout_ms = 0;
};
inline constexpr std::tuple kScanOptions{
    Option{"reg-x", &ScanOptions::regularisation_x_m, Bounds::finite(), "M",
           "x of the regularisation target in the map; none without"},
    Option{"reg-y", &ScanOptions::regularisation_y_m, Bounds::finite(), "M",
           "y of the regularisation target in the map; none without"},
    Option{"timeout-ms", &ScanOptions::timeout_ms, Bounds::above(0, 24 * 3600 * 1000.0), "MS",
           "end an alignment or a search after this time with what it has so far"}};

using AlignArguments = Given<kProfileChoice, kAlignOptions, kScanOptions>;

/// The source of an alignment's guesses: AlignOptions::of() or of_a_search().
enum class Guesses { given, of_a_search };

/// The profile, then the single options. Throws UsageError for an unknown name, std::invalid_argument for a
/// value out of range.
AlignOptions resolve(const AlignArguments& arguments, Guesses guesses = Guesses::given);

/// The regularisation target, if both its coordinates are given, and the deadline, counted from this call.
/// Throws UsageError for one coordinate alone, std::invalid_argument for a value out of range.
PerScan per_scan(const AlignArguments& arguments);

}  // namespace ndt::harness
