// What a search for the initial pose can be told.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ndt::initial_pose {

/// Who proposes the particles.
enum class Method {
  tpe,     ///< tree-structured Parzen estimator: start-up from the prior, then guided by what was found
  random,  ///< all from the prior
  grid     ///< a lattice of positions within two sigma and of headings around the circle (grid.hpp)
};
std::string_view to_string(Method method);

/// How the particles are put to an aligner. The maths is the aligner's.
struct Strategy {
  std::string_view name;
  bool startup_at_once = false;  ///< what needs no guidance goes to the aligner in one call
  bool guided_at_once = false;   ///< guided ones in rounds of SearchOptions::at_once; else one by one
  std::string_view schedule;     ///< one line
};

/// sequential, batched, batched_persistent.
std::span<const Strategy> strategies();

struct SearchOptions {
  Method method = Method::tpe;
  int particles = 200;         ///< alignments in all
  int startup = 100;           ///< of them drawn from the prior before any is guided (tpe)
  int at_once = 16;            ///< proposals of a guided round, if the strategy makes rounds
  int candidates = 100;        ///< places considered for each guided proposal
  std::uint64_t seed = 0;      ///< same seed, same result
  double reliable_nvtl = 2.3;  ///< a best particle above it is taken for found
};

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>".
void validate(const SearchOptions& options);

}  // namespace ndt::initial_pose
