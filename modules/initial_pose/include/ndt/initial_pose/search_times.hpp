// The time of a search by its parts, as the thread that called it spends it.
#pragma once

#include <array>
#include <cstddef>

#include "ndt/core/enum_names.hpp"

namespace ndt::initial_pose {

/// Parts of a search, in their order. One without guidance is all start-up.
enum class SearchPart { startup, guided, finishing, beside, judging };
constexpr auto enum_names(SearchPart) {
  return std::array{"startup", "guided", "finishing", "beside", "judging"};
}

/// The work of the calling thread in each part.
enum class SearchWork {
  choose,   ///< proposes places, chooses what is continued, or looks for the runner-up
  submit,   ///< hands places to the aligner; without a device it may do all the work here
  draw,     ///< draws candidates ahead while a device aligns
  look,     ///< looks along sight lines, while a device aligns or not
  collect,  ///< waits for the results, until the last is written, or for the answer's score
  take      ///< keeps the results, and tells them to the method
};
constexpr auto enum_names(SearchWork) {
  return std::array{"choose", "submit", "draw", "look", "collect", "take"};
}

/// Number of values of SearchPart.
inline constexpr std::size_t kSearchParts = enum_names(SearchPart{}).size();
/// Number of values of SearchWork.
inline constexpr std::size_t kSearchWorks = enum_names(SearchWork{}).size();

/// Times of one search. Together they are nearly all of it.
struct SearchTimes {
  double us[kSearchParts][kSearchWorks] = {};  ///< [µs] by part and work
  int batches[kSearchParts] = {};              ///< times that the aligner was given poses

  /// Time of a work in a part [µs].
  double of(SearchPart part, SearchWork work) const {
    return us[static_cast<std::size_t>(part)][static_cast<std::size_t>(work)];
  }
};

}  // namespace ndt::initial_pose
