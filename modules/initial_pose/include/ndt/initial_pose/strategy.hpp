// How a search hands particles to an aligner, and which implementation that suits.
#pragma once

#include <span>
#include <string_view>

#include "ndt/align/implementation.hpp"

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

}  // namespace ndt::initial_pose
