// How far the pose of one alignment can be trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ndt/align/implementation.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::harness {

struct Verdict {
  std::vector<std::string> doubts;      ///< why the pose is doubtful, the gravest first; none: it is ok
  initial_pose::ReliableBounds bounds;  ///< what NVTL and matched points had to exceed, where that is known
  std::optional<initial_pose::Evidence> evidence;  ///< of a second look; none of a peer
  bool ok() const { return doubts.empty(); }
};

/// The bounds of the aligner's map; unknown for a peer, whose scores are its own.
initial_pose::ReliableBounds bounds_of(Aligner& aligner, const PointCloud& map, const AlignOptions& options,
                                       const Implementation& entry);

/// Judges by the result alone. ok: the result converged, with an NVTL above the bound. Wrong optima converge
/// too, with a lower NVTL.
Verdict verdict_of(const AlignResult& result, const initial_pose::ReliableBounds& bounds,
                   const Implementation& entry);
/// Judges by the result and a second look (initial_pose/second_look.hpp): also, alignments from beside the
/// result come back to it, enough of the scan's points match the map, and what it sees is what the map has.
/// Judges a peer by the result alone. `aligner`: of the entry, with the map and for this scan; `sight_lines`
/// may be null. Throws as second_look() does.
Verdict verdict_of(Aligner& aligner, const PointCloud& scan, const AlignResult& result,
                   const initial_pose::ReliableBounds& bounds, const Implementation& entry,
                   const PerScan& per_scan, const initial_pose::SightLines* sight_lines);
/// Adds the gravest doubt if too large a share of the scan's points are points of the map at the guess
/// (data/same_points.hpp): the pose was given, not found.
void doubt_same_points(Verdict& verdict, double share);
/// The doubts with semicolons; empty if there are none.
std::string doubts_text(const Verdict& verdict);
/// "ok", or "doubtful: " and the doubts.
std::string to_text(const Verdict& verdict);

}  // namespace ndt::harness
