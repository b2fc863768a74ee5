// Every key of a measurement's search, once.
#pragma once

#include "run/column.hpp"

namespace ndt::harness {

/// Known before the search runs.
inline constexpr std::tuple kPlannedSearchColumns{
    Column{"name", &SearchRecord::name, "", Null::never, "name of the setting, unique in a preset"},
    Column{"strategy", &SearchRecord::strategy, "", Null::never,
           "way in which the particles are aligned; own: a peer's search"},
    Column{"method", &SearchRecord::method, "", Null::never,
           "method that proposes the particles; own: a peer's search"},
    Column{"particles", &SearchRecord::particles, "", Null::never,
           "alignments that a search shall make; 0 for a peer's search"},
    Column{"startup", &SearchRecord::startup, "", Null::never,
           "particles before the method is guided by results"},
    Column{"at_once", &SearchRecord::at_once, "", Null::never,
           "proposals of a guided round; 1 unless the strategy makes rounds"},
    Column{"candidates", &SearchRecord::candidates, "", Null::later,
           "places considered for each guided proposal"},
    Column{"reliable_nvtl", &SearchRecord::reliable_nvtl, "", Null::later,
           "value that the best particle's NVTL must exceed; null if none is known for the resolution"},
    Column{"reliable_matched", &SearchRecord::reliable_matched, "", Null::later,
           "value that matched must exceed; null likewise"},
    Column{"seed", &SearchRecord::seed, "", Null::never, "seed of the proposals"},
    Column{"prior", &SearchRecord::prior, "", Null::later,
           "where the sensor may be: map = anywhere in the map; null = pose, about guess as sigma tells"},
    Column{"sigma", &SearchRecord::sigma, "m, rad", Null::never,
           "standard deviations of the prior around guess: x, y, z (0 with prior map, whose guess has no "
           "position), roll, pitch; yaw is uniform"}};

/// Null with an error.
inline constexpr std::tuple kFoundColumns{
    Column{"best_particle", &SearchRecord::best_particle, "", Null::with_error,
           "index of the particle that came to rest with the largest NVTL"},
    Column{"reliable", &SearchRecord::reliable, "", Null::may,
           "whether the verdict is reliable, of a peer's search by its own word; null if it is unknown"},
    Column{"ambiguous", &SearchRecord::ambiguous, "", Null::with_error,
           "the verdict is ambiguous; in older runs: another mode is nearly as good"},
    Column{"verdict", &SearchRecord::verdict, "", Null::later,
           "reliable, ambiguous, not_found or unknown; null for a peer"},
    Column{"doubts", &SearchRecord::doubts, "", Null::later,
           "what speaks against the answer, with commas; null if nothing does"},
    Column{"overlap", &SearchRecord::overlap, "", Null::later,
           "share of the scan's points with a voxel at the answer; null unless it converged"},
    Column{"matched", &SearchRecord::matched, "", Null::later,
           "share of the scan's points whose score is at least half of the 90th percentile; null as overlap"},
    Column{"spread_m", &SearchRecord::spread_m, "m", Null::later,
           "largest distance from the answer to where alignments from 1 m beside it ended; null as overlap, "
           "and if one of them gave no pose"},
    Column{"spread_deg", &SearchRecord::spread_deg, "deg", Null::later,
           "largest angle likewise; null as spread_m"},
    Column{"agreeing", &SearchRecord::agreeing, "", Null::later,
           "proposed particles that came to the answer's mode"},
    Column{
        "seen_through", &SearchRecord::seen_through, "", Null::later,
        "share of the map's points in the way of the scan's rays that the scan looks through at the answer; "
        "null unless it came to rest"},
    Column{"unmapped", &SearchRecord::unmapped, "", Null::later,
           "share of the scan's points that stand before all that the map has in their direction; null as "
           "seen_through"},
    Column{"interrupted", &SearchRecord::interrupted, "", Null::later,
           "cancelled or timeout; null if all particles are finished"},
    Column{"place_cell_m", PartOf{&SearchRecord::coarse, &CoarseRecord::place_cell_m}, "m", Null::later,
           "edge of the cells of the coarse score; null, as the next five, unless the method is anywhere"},
    Column{"pyramid_us", PartOf{&SearchRecord::coarse, &CoarseRecord::pyramid_us}, "us", Null::later,
           "time of building the map's pyramid, once per map as build_us and no part of align_us"},
    Column{"pyramid_bytes", PartOf{&SearchRecord::coarse, &CoarseRecord::pyramid_bytes}, "bytes", Null::later,
           "memory of the pyramid"},
    Column{"coarse_us", PartOf{&SearchRecord::coarse, &CoarseRecord::coarse_us}, "us", Null::later,
           "part of the last align_us in which places were looked for"},
    Column{"coverage", PartOf{&SearchRecord::coarse, &CoarseRecord::coverage}, "", Null::later,
           "share of the prior's lattice that was scored or excluded by a bound"},
    Column{"places", PartOf{&SearchRecord::coarse, &CoarseRecord::places}, "", Null::later,
           "places that were found and aligned"},
    Column{"runner_up_ratio", &SearchRecord::runner_up_ratio, "", Null::may,
           "NVTL or transform probability of the best particle of another mode, divided by the answer's, the "
           "less of both; in older runs NVTL alone; null without such a particle"},
    Column{"runner_up_pose", &SearchRecord::runner_up_pose, "", Null::may, "pose of that particle"},
    Column{"improvements", &SearchRecord::improvements, "us, m, deg", Null::with_error,
           "every particle that was better than all before it, with its errors; empty for a peer's search"},
    Column{"paths", &SearchRecord::paths, "m, rad", Null::may,
           "x, y, yaw of every particle's start and end, and its NVTL; null if not asked for"}};

}  // namespace ndt::harness
