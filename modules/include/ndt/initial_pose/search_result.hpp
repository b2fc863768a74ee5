// The result of a search for the initial pose.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {

/// Why a particle was aligned.
enum class Role {
  proposed,   ///< by the method
  continued,  ///< from where another ended at the iteration limit
  beside,     ///< from beside the answer
  carried     ///< from where a leader of the same search ended on the scan before
};
constexpr auto enum_names(Role) { return std::array{"proposed", "continued", "beside", "carried"}; }

/// One alignment of a search.
struct Particle {
  Pose start;                  ///< the guess
  AlignResult result;          ///< where it ended
  bool guided = false;         ///< proposed with the help of earlier trials
  Role role = Role::proposed;  ///< why it was aligned
};

/// Farther apart than two poses can be that are both within 0.5 m and 2.5 degrees of one truth.
bool is_another_mode(const Transform& a, const Transform& b);

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

/// The result of a search, and how far to trust it.
struct SearchResult {
  /// The proposed ones in their order, then what continued the leaders among them, then those from beside the
  /// answer.
  std::vector<Particle> particles;
  /// The largest NVTL among those that came to rest, the first on ties; of all if none did.
  std::size_t best = 0;
  /// The best that ended in another mode (is_another_mode), at rest or not, by Evidence::runner_up_ratio, and
  /// is not ruled out.
  std::optional<std::size_t> runner_up;
  /// The reason if particles are missing or unfinished: Stop::cancelled or Stop::timeout.
  std::optional<Stop> interrupted;
  Evidence evidence;             ///< what the verdict follows from
  Judgement judgement;           ///< of the evidence
  std::optional<bool> reliable;  ///< whether the verdict is so; nothing if it is unknown
  SearchTimes times;             ///< none of a peer's search

  /// The answer.
  const Particle& best_particle() const { return particles.at(best); }
  /// Number of particles that the method proposed.
  std::size_t proposed() const;
};

/// Called with the particles so far after every call of the aligner.
using SearchObserver = std::function<void(const std::vector<Particle>& particles)>;

/// Places at every cell's edge and, for headings, at the angle that moves a point at the sketch's reach by
/// one cell. The region's box is clipped to where a point of the sketch can meet the map.
struct Place {
  Pose pose;         ///< of the sensor
  double score = 0;  ///< in [0, 1]
};

/// The answer of find_places().
struct PlacesFound {
  /// Best first, the first of the lattice on ties; never empty. Each is the best of its neighbourhood, 4 x 4
  /// x 4 positions and about 15 degrees. With `coverage` 1 the first is the best of all, and no other
  /// neighbourhood has a better one than the last.
  std::vector<Place> places;
  double coverage = 0;                   ///< share of the lattice that was scored or excluded by a bound
  double lattice = 0;                    ///< poses of the lattice
  int headings = 0;                      ///< of the lattice, at each position
  std::optional<double> ground_below_m;  ///< as the sketch has it
  std::optional<Stop> interrupted;       ///< why coverage is below 1
};

/// Called now and then, on the calling thread, with the share that is done. What it throws ends the search.
using PlaceProgress = std::function<void(double coverage)>;

}  // namespace ndt::initial_pose
