// Every measured column, once. A new one is a member of Measurement and a line here (and whoever measures
// it): both directions of JSON, columns.json and with it the report's reader follow.
#pragma once

#include "run/column.hpp"

namespace ndt::harness {

/// The columns of the way in which alignments are called.
inline constexpr auto kCallColumns = std::apply(
    [](const auto&... setting) {
      return std::tuple{Column{setting.name,
                               static_cast<std::optional<double> Measurement::*>(setting.member),
                               setting.unit, Null::later, setting.meaning}...};
    },
    kCallSettings);

/// Known before it is measured.
inline constexpr auto kPlannedColumns = std::tuple_cat(
    std::tuple{
        Column{"run_id", &Measurement::run_id, "", Null::never, "name of the run; the same in every line"},
        Column{"job", &Measurement::job, "", Null::never,
               "number of the child process that made the measurement: it measures a block of frames of one "
               "implementation"},
        Column{"implementation", &Measurement::implementation, "", Null::never,
               "name of an entry of implementations.json"},
        Column{"dataset", &Measurement::dataset, "", Null::never, "name of an entry of datasets.json"},
        Column{"density", &Measurement::density, "", Null::later,
               "density of the dataset's scans: 0.25 m (a leaf), 5,000 random (points), raw, as made (of "
               "scans that "
               "are made in memory), or what the dataset says of its files"},
        Column{"frame", &Measurement::frame, "", Null::never,
               "name of the scan; empty if the job failed before it"},
        Column{"guess_name", &Measurement::guess_name, "", Null::never,
               "name of the initial guess among those of the frame"},
        Column{"variant", &Measurement::variant, "", Null::never,
               "name of the set of options; autoware unless the preset names more"},
        Column{"threads", &Measurement::threads, "", Null::never,
               "host threads that the implementation was given"},
        Column{
            "poses", &Measurement::poses, "", Null::later,
            "guesses aligned in one call; 1 for a single alignment and where the key is missing. For a "
            "batch, iterations and evaluations are sums over its poses, align_us and the traffic counts "
            "are those of the call, and pose and all else are of the first pose, which starts from guess"}},
    kCallColumns,
    std::tuple{
        Column{"resolution_m", &Measurement::resolution_m, "m", Null::never, "edge of a voxel"},
        Column{"guess", &Measurement::guess, "", Null::with_error,
               "map_from_scan before the alignment; the mean of the prior for a search"},
        Column{"guess_offset", &Measurement::guess_offset, "m, deg", Null::may,
               "x_m, y_m, z_m and yaw_deg of a guess on a grid, in the frame of the truth"},
        Column{"truth", &Measurement::truth, "", Null::may, "true map_from_scan; null where it is unknown"}});

/// Null with an error.
inline constexpr std::tuple kMeasuredColumns{
    Column{"points", &Measurement::points, "", Null::with_error, "points of the scan after its preparation"},
    Column{"map_points", &Measurement::map_points, "", Null::with_error,
           "points of the map after its preparation"},
    Column{
        "voxels", &Measurement::voxels, "", Null::may,
        "voxels of the map that have a distribution; null if the method has none, as for the counts below"},
    Column{"pose", &Measurement::pose, "", Null::with_error,
           "map_from_scan that the implementation returned"},
    Column{"stop", &Measurement::stop, "", Null::with_error, "reason why the alignment ended"},
    Column{"verdict", &Measurement::verdict, "", Null::later,
           "ok, or doubtful and why, as align says it where the study has second_look, else by the stop and "
           "the NVTL alone; null for a search"},
    Column{"matched", &Measurement::matched, "", Null::later,
           "share of the scan's points whose score is at least half of the 90th percentile; null without a "
           "second look, and unless it converged"},
    Column{"spread_m", &Measurement::spread_m, "m", Null::later,
           "largest distance from the pose to where alignments from 0.5 m beside it ended; null as matched, "
           "and if one of them gave no pose"},
    Column{"iterations", &Measurement::iterations, "", Null::may, "Newton steps, or a peer's own"},
    Column{"evaluations", &Measurement::evaluations, "", Null::may, "passes over the scan"},
    Column{"oscillation_count", &Measurement::oscillation_count, "", Null::may,
           "length of the longest run of reversed steps"},
    Column{"newton_fallbacks", &Measurement::newton_fallbacks, "", Null::may,
           "steps with an indefinite Hessian; null if the library does not count them"},
    Column{"solver", &Measurement::solver, "", Null::later,
           "solver of the 6x6 systems if the machine decides it: cuSOLVER, or own LDLT and why; else null"},
    Column{"correspondences", &Measurement::correspondences, "", Null::may,
           "pairs of a point and a voxel at the returned pose"},
    Column{"score", &Measurement::score, "", Null::may,
           "sum over the pairs at the returned pose; null if it is not finite or the method has no score"},
    Column{"transform_probability", &Measurement::transform_probability, "", Null::may,
           "score divided by the number of points"},
    Column{"nvtl", &Measurement::nvtl, "", Null::may, "nearest voxel transformation likelihood"},
    Column{"finish_step_m", PartOf{&Measurement::finish, &FinishStep::step_m}, "m", Null::later,
           "length of the last step, with finish windows; null without a finish"},
    Column{"finish_score", PartOf{&Measurement::finish, &FinishStep::score}, "", Null::later,
           "score in the windows before that step; null as finish_step_m"},
    Column{"build_us", &Measurement::build_us, "us", Null::with_error,
           "time of set_map, taken once per job; of a peer from outside by its own clock"},
    Column{
        "make_us", PartOf{&Measurement::first_calls, &FirstCalls::make_us}, "us", Null::later,
        "time in which the job's process made its aligner, which loads kernels; null without a device, and "
        "if timing is single"},
    Column{"first_align_us", PartOf{&Measurement::first_calls, &FirstCalls::align_us}, "us", Null::later,
           "time of that process's first alignment, right after its first map; null as make_us"},
    Column{"rebuild_us", PartOf{&Measurement::first_calls, &FirstCalls::rebuild_us}, "us", Null::later,
           "time of set_map with the same map after that; null as make_us"},
    Column{"align_us", &Measurement::align_us, "us", Null::with_error,
           "time of every timed repeat, with threads awake and caches warm unless there is a rate_hz; of a "
           "peer from outside by its own "
           "clock, checked against ours"},
    Column{"align_after_idle_us", &Measurement::align_after_idle_us, "us", Null::with_error,
           "time of repeats right after the threads had slept; an empty list if timing is single "
           "or there is a rate_hz",
           "maybe numbers"},
    Column{"timing", &Measurement::timing, "", Null::with_error,
           "settled (the spread of the repeats settled), wall_cap (the cap on time came first) or single "
           "(one repeat, not made for timing)"},
    Column{"prepare_us", PartOf{&Measurement::aside, &Aside::prepare_us}, "us", Null::later,
           "time by its own clock in which an external peer prepared the scan, beside align_us; null if "
           "align_us includes it"},
    Column{"pipe_us", PartOf{&Measurement::aside, &Aside::pipe_us}, "us", Null::later,
           "time of an empty request to a peer from outside by our clock, the shortest of 11: no part of "
           "align_us"},
    Column{"calibration_us", &Measurement::calibration_us, "us", Null::may,
           "time of a fixed workload on one thread, taken just before the repeats"},
    Column{"peak_rss_bytes", &Measurement::peak_rss_bytes, "bytes", Null::may,
           "largest resident memory of the child process so far"},
    Column{"upload_bytes", PartOf{&Measurement::traffic, &Traffic::upload_bytes}, "bytes", Null::may,
           "bytes copied from host to device by one timed alignment; null without a device"},
    Column{"uploads", PartOf{&Measurement::traffic, &Traffic::uploads}, "", Null::later,
           "copies from host to device of one timed alignment"},
    Column{"download_bytes", PartOf{&Measurement::traffic, &Traffic::download_bytes}, "bytes", Null::may,
           "bytes copied from device to host by one timed alignment; null without a device"},
    Column{"downloads", PartOf{&Measurement::traffic, &Traffic::downloads}, "", Null::later,
           "copies from device to host of one timed alignment"},
    Column{"launches", PartOf{&Measurement::traffic, &Traffic::launches}, "", Null::may,
           "kernels and graphs that the host launched in one timed alignment; null without a device"},
    Column{"synchronisations", PartOf{&Measurement::traffic, &Traffic::synchronisations}, "", Null::may,
           "times that the host waited for the device in one timed alignment; null without a device"},
    Column{"allocations", PartOf{&Measurement::traffic, &Traffic::allocations}, "", Null::later,
           "allocations of device and pinned memory: the most of any alignment after the warm-up"},
    Column{"peak_device_bytes", PartOf{&Measurement::traffic, &Traffic::peak_device_bytes}, "bytes",
           Null::later, "largest device memory of the implementation so far, map and work space together"},
    Column{
        "exchanges", PartOf{&Measurement::meetings, &Meetings::exchanges}, "", Null::later,
        "sums that the blocks of a kernel put together from a part of each, without the host, in one timed "
        "alignment; null without a device, and where an implementation does not know it"},
    Column{"barriers", PartOf{&Measurement::meetings, &Meetings::barriers}, "", Null::later,
           "times that all blocks of a grid or a cluster waited for one another inside a kernel in one timed "
           "alignment; null as exchanges"},
    Column{"translation_error_m", PartOf{&Measurement::to_truth, &PoseDifference::translation_m}, "m",
           Null::may, "distance of the pose from the truth; null without truth"},
    Column{"rotation_error_deg", PartOf{&Measurement::to_truth, &PoseDifference::rotation_deg}, "deg",
           Null::may, "angle between the pose and the truth; null without truth"},
    Column{"trace", &Measurement::trace, "", Null::may,
           "lists with one entry per iteration, the first of them the guess: score, nvtl, step_m, "
           "translation_error_m, rotation_error_deg, and with step-control trust_region level and radius_m; "
           "windows of a finish are one level past the last; null if not asked for"}};

inline constexpr std::tuple kOutcomeColumns{
    Column{"search", &Measurement::search, "", Null::later,
           "search for the initial pose, which is one measurement; null for alignments and batches. "
           "iterations and evaluations are sums over its particles, align_us and the traffic counts are "
           "those of the whole search, and pose and all else are of the best particle"},
    Column{"error", &Measurement::error, "", Null::may,
           "reason why there is no measurement; null if there is one"},
    Column{"error_kind", &Measurement::failure, "", Null::may,
           "exception, crash, timeout, memory or skipped (a batch that would take too long); null without "
           "an error"}};

}  // namespace ndt::harness
