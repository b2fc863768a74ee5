// The options of a search for the initial pose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "ndt/align/align_options.hpp"
#include "ndt/align/implementation.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::initial_pose {

/// A strategy: how a search hands particles to an aligner. The maths is the aligner's.
struct Strategy {
  std::string_view name;         ///< the name to ask for
  bool startup_at_once = false;  ///< hands all particles that need no guidance to the aligner in one call
  bool guided_at_once = false;   ///< hands over guided ones in rounds of at_once, else one by one
  std::string_view schedule;     ///< one line
};

/// sequential, batched, batched_persistent.
std::span<const Strategy> strategies();
/// The one that is taken where none is asked for.
const Strategy& default_strategy();
/// Null for an unknown name.
const Strategy* strategy_named(std::string_view name);

/// Whether the implementation aligns as many poses together as the strategy hands it.
bool is_able(const Implementation& entry, const Strategy& strategy);
/// Whether it is the implementation's own strategy, Implementation::search.
bool suits(const Implementation& entry, const Strategy& strategy);
/// The first entry that suits the strategy and can run on this machine; null: none, any that is able will do.
const Implementation* first_suited(std::span<const Implementation> table, const Strategy& strategy);

/// The method that proposes the particles.
enum class Method {
  tpe,      ///< tree-structured Parzen estimator: start-up from the prior, then guided by the trials so far
  random,   ///< all from the prior
  grid,     ///< a lattice of positions within two sigma and of headings around the circle (grid.hpp)
  anywhere  ///< the best places of a coarse score, over the whole map or a part of it (anywhere.hpp)
};
constexpr auto enum_names(Method) { return std::array{"tpe", "random", "grid", "anywhere"}; }
using ndt::to_string;

/// The switches of a search; bounds and help are in kSearchOptions.
struct SearchOptions {
  Method method = Method::tpe;  ///< what proposes the particles
  int particles = 200;          ///< alignments in all
  int startup = 100;            ///< of them drawn from the prior before any is guided
  int at_once = 20;             ///< proposals of a guided round
  int candidates = 100;         ///< places weighed for each guided proposal
  std::uint64_t seed = 0;       ///< the same seed gives the same bits
  /// The bounds that a reliable pose exceeds; with neither, no pose is called reliable.
  std::optional<double> reliable_nvtl, reliable_matched;
  /// Uses also the points that find_no_returns() finds. No flag of the table: a command asks by its own.
  bool keep_no_returns = false;
};

/// Edge of the last level's voxels [m].
double last_edge_m(const AlignOptions& options);

/// Every option of a search, once. A new one is a member above and a line here; flags, keys, help and checks
/// follow.
inline constexpr std::tuple kSearchOptions{
    Option{"method", &SearchOptions::method, Bounds::none(), "NAME", "what proposes the particles"},
    Option{"particles", &SearchOptions::particles, Bounds::closed(1, Limits::kBatch), "N",
           "alignments in all"},
    Option{"startup", &SearchOptions::startup, Bounds::closed(0, Limits::kBatch), "N",
           "particles drawn from the prior before any is guided, method tpe only"},
    Option{"at-once", &SearchOptions::at_once, Bounds::closed(1, Limits::kBatch), "Q",
           "proposals of a guided round, strategy batched_persistent only"},
    Option{"proposal-candidates", &SearchOptions::candidates, Bounds::closed(1, Limits::kBatch), "N",
           "places considered for each guided proposal"},
    Option{"seed", &SearchOptions::seed, Bounds::none(), "K", "same seed, same result", false},
    Option{"reliable-nvtl", &SearchOptions::reliable_nvtl, Bounds::closed(0, 1000), "NVTL",
           "NVTL that the best particle must exceed to count as found (default: 0.8 of the map's own, "
           "not judged where the map is too thin)"},
    Option{"reliable-matched", &SearchOptions::reliable_matched, Bounds::closed(0, 1), "SHARE",
           "share of matching scan points that a found pose must exceed (default: 0.85 of the map's own; not "
           "judged where the map is too thin)"},
};

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>".
void validate(const SearchOptions& options);

}  // namespace ndt::initial_pose
