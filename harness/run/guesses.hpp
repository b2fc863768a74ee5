// The starts of planned alignments: the poses of a batch around a guess, and the priors of searches around a
// truth.
#pragma once

#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "ndt/core/pose.hpp"
#include "run/presets.hpp"
#include "run/search_record.hpp"

namespace ndt::harness {

inline constexpr double kBatchReachM = 0.5;

/// Returns `first` itself and count - 1 more, level with it, within kBatchReachM on a spiral that fills the
/// disc evenly [Vogel 1979]. The set grows with the batch: a larger one holds every smaller one.
std::vector<Transform> batch_guesses(const Transform& first, int count);

/// Returns what the priors of a frame's searches are drawn around: its truth or, where the scan does not
/// belong on the map and every pose is wrong, its first guess. Null without.
const Transform* search_middle(const Dataset& dataset, const Frame& frame);
/// Returns guess "seed<k>": the mean of a prior that the truth could have been drawn from. Those of one frame
/// are not those of another. For method anywhere its heading and tilt are upright_prior_mean's (random.hpp).
/// With prior map it is at the map's origin.
NamedGuess prior_guess(const Transform& truth, std::size_t frame_index, const SearchSpec& search,
                       std::size_t k);

/// Returns what is known of a search before it runs, without its seed, which is its prior's number.
SearchRecord planned_search(const SearchSpec& search, std::string_view implementation);

}  // namespace ndt::harness
