// What is known of the searches of a study before they run.
#pragma once

#include "data/dataset.hpp"
#include "run/presets.hpp"
#include "run/search_record.hpp"

namespace ndt::harness {

/// Guesses "seed0", "seed1", ...: the means of priors that the frame's truth could have been drawn from. Those of one frame are not
/// those of another. The frame must have a truth.
std::vector<NamedGuess> prior_guesses(const Frame& frame, std::size_t frame_index, const SearchSpec& search);

/// number: of the prior, from 0; also the search's seed.
SearchRecord planned_search(const SearchSpec& search, std::uint64_t number);

}  // namespace ndt::harness
