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
        Column{"run_id", &Measurement::run_id, "", Null::never, "name of the run"},
        Column{"job", &Measurement::job, "", Null::never, "child process that made the measurement"},
        Column{"implementation", &Measurement::implementation, "", Null::never,
               "name of an entry of implementations.json"},
        Column{"dataset", &Measurement::dataset, "", Null::never, "name of an entry of datasets.json"},
        Column{"density", &Measurement::density, "", Null::later,
               "density of the dataset's scans: 0.25 m (a leaf), 5,000 random (points), raw, as made (in "
               "memory), or the dataset's own words"},
        Column{"frame", &Measurement::frame, "", Null::never,
               "name of the scan; empty if the job failed before it"},
        Column{"guess_name", &Measurement::guess_name, "", Null::never,
               "name of the guess among those of the frame"},
        Column{"variant", &Measurement::variant, "", Null::never,
               "name of the set of options; autoware unless the preset names more"},
        Column{"threads", &Measurement::threads, "", Null::never, "host threads given to the implementation"},
        Column{
            "poses", &Measurement::poses, "", Null::later,
            "guesses aligned in one call; 1 for a single alignment. In a batch, iterations and evaluations "
            "are sums. align_us and the traffic are those of the call, all else is of the first pose"}},
    kCallColumns,
    std::tuple{Column{"resolution_m", &Measurement::resolution_m, "m", Null::never, "edge of a voxel"},
               Column{"guess", &Measurement::guess, "", Null::with_error,
                      "map_from_scan before the alignment; the mean of a search's prior"},
               Column{"guess_offset", &Measurement::guess_offset, "m, deg", Null::may,
                      "x_m, y_m, z_m and yaw_deg of a guess on a grid, in the frame of the truth"},
               Column{"truth", &Measurement::truth, "", Null::may, "true map_from_scan; null if unknown"}});

/// Null with an error.
inline constexpr std::tuple kMeasuredColumns{
    Column{"points", &Measurement::points, "", Null::with_error, "points of the filtered scan"},
    Column{"map_points", &Measurement::map_points, "", Null::with_error, "points of the filtered map"},
    Column{"voxels", &Measurement::voxels, "", Null::may,
           "voxels of the map that have a distribution; null, as the next counts, if the method has none"},
    Column{"pose", &Measurement::pose, "", Null::with_error,
           "map_from_scan that the implementation returned"},
    Column{"stop", &Measurement::stop, "", Null::with_error, "why the alignment ended"},
    Column{"verdict", &Measurement::verdict, "", Null::later,
           "ok, or doubtful and why: as align says it with second_look, else by stop and NVTL"},
    Column{"matched", &Measurement::matched, "", Null::later,
           "share of the scan's points with half the score of the 90th percentile; null without a second "
           "look, and unless it converged"},
    Column{"spread_m", &Measurement::spread_m, "m", Null::later,
           "largest distance from the pose to where alignments from 0.5 m beside it ended; null as matched, "
           "and if one gave no pose"},
    Column{"iterations", &Measurement::iterations, "", Null::may, "Newton steps, or a peer's own"},
    Column{"evaluations", &Measurement::evaluations, "", Null::may, "passes over the scan"},
    Column{"oscillation_count", &Measurement::oscillation_count, "", Null::may,
           "length of the longest run of reversed steps"},
    Column{"newton_fallbacks", &Measurement::newton_fallbacks, "", Null::may,
           "steps with an indefinite Hessian; null if the library does not count them"},
    Column{"solver", &Measurement::solver, "", Null::later,
           "solver of the 6x6 systems if the machine decides it: cuSOLVER, or own LDLT and why"},
    Column{"correspondences", &Measurement::correspondences, "", Null::may,
           "pairs of a point and a voxel at the returned pose"},
    Column{"score", &Measurement::score, "", Null::may,
           "sum over the pairs at the returned pose; null if it is not finite or the method has none"},
    Column{"transform_probability", &Measurement::transform_probability, "", Null::may,
           "score over the number of points"},
    Column{"nvtl", &Measurement::nvtl, "", Null::may, "nearest voxel transformation likelihood"},
    Column{"finish_step_m", PartOf{&Measurement::finish, &FinishStep::step_m}, "m", Null::later,
           "length of the last step, with finish windows"},
    Column{"finish_score", PartOf{&Measurement::finish, &FinishStep::score}, "", Null::later,
           "score in the windows before that step"},
    Column{"build_us", &Measurement::build_us, "us", Null::with_error,
           "time of set_map, once per job; a peer's by its own clock"},
    Column{"make_us", PartOf{&Measurement::first_calls, &FirstCalls::make_us}, "us", Null::later,
           "time in which the process made its aligner and loaded kernels; null without a device, and if "
           "timing is single"},
    Column{"first_align_us", PartOf{&Measurement::first_calls, &FirstCalls::align_us}, "us", Null::later,
           "time of the process's first alignment; null as make_us"},
    Column{"rebuild_us", PartOf{&Measurement::first_calls, &FirstCalls::rebuild_us}, "us", Null::later,
           "time of set_map with the same map after that; null as make_us"},
    Column{"align_us", &Measurement::align_us, "us", Null::with_error,
           "time of every timed repeat, back to back unless there is a rate_hz; a peer's by its own clock, "
           "checked against ours"},
    Column{"align_after_idle_us", &Measurement::align_after_idle_us, "us", Null::with_error,
           "time of repeats right after the threads slept; empty if timing is single or there is a rate_hz",
           "maybe numbers"},
    Column{"timing", &Measurement::timing, "", Null::with_error,
           "settled (the spread of the repeats settled), wall_cap (the time limit came first) or single (one "
           "repeat, not for timing)"},
    Column{"cpu_percent", PartOf{&Measurement::load, &Load::cpu_percent}, "%", Null::later,
           "CPU time over wall time of the repeats in load_s, with a peer's process; 100 is one busy core"},
    Column{"cpu_energy_mj", PartOf{&Measurement::load, &Load::cpu_energy_mj}, "mJ", Null::later,
           "energy of all processor packages for one of these repeats; null if it cannot be read"},
    Column{"gpu_percent", PartOf{&Measurement::load, &Load::gpu_percent}, "%", Null::later,
           "share of the time after the first second of load_s in which a kernel ran; null without NVML or "
           "use"},
    Column{"gpu_energy_mj", PartOf{&Measurement::load, &Load::gpu_energy_mj}, "mJ", Null::later,
           "energy of the whole GPU, with its idle power, for one of these repeats; null as gpu_percent"},
    Column{"gpu_idle_w", PartOf{&Measurement::load, &Load::gpu_idle_w}, "W", Null::later,
           "power of the GPU in a second without work, once per process; null as gpu_percent"},
    Column{"prepare_us", PartOf{&Measurement::aside, &Aside::prepare_us}, "us", Null::later,
           "time in which a peer prepared the scan, by its own clock; null if align_us includes it"},
    Column{"pipe_us", PartOf{&Measurement::aside, &Aside::pipe_us}, "us", Null::later,
           "time of an empty request to a peer by our clock, the shortest of 11; not part of align_us"},
    Column{"calibration_us", &Measurement::calibration_us, "us", Null::may,
           "time of a fixed workload on one thread, just before the repeats"},
    Column{"peak_rss_bytes", &Measurement::peak_rss_bytes, "bytes", Null::may,
           "largest resident memory of the process so far"},
    Column{"upload_bytes", PartOf{&Measurement::traffic, &Traffic::upload_bytes}, "bytes", Null::may,
           "bytes copied to the device by one alignment; null without a device"},
    Column{"uploads", PartOf{&Measurement::traffic, &Traffic::uploads}, "", Null::later,
           "copies to the device"},
    Column{"download_bytes", PartOf{&Measurement::traffic, &Traffic::download_bytes}, "bytes", Null::may,
           "bytes copied from the device; null as upload_bytes"},
    Column{"downloads", PartOf{&Measurement::traffic, &Traffic::downloads}, "", Null::later,
           "copies from the device"},
    Column{"launches", PartOf{&Measurement::traffic, &Traffic::launches}, "", Null::may,
           "kernels and graphs that the host launched in one alignment; null without a device"},
    Column{"synchronisations", PartOf{&Measurement::traffic, &Traffic::synchronisations}, "", Null::may,
           "times the host waited for the device in one alignment; null without a device"},
    Column{"allocations", PartOf{&Measurement::traffic, &Traffic::allocations}, "", Null::later,
           "allocations of device and pinned memory, the most of any alignment after the warm-up"},
    Column{"peak_device_bytes", PartOf{&Measurement::traffic, &Traffic::peak_device_bytes}, "bytes",
           Null::later, "largest device memory so far, map and work space together"},
    Column{"exchanges", PartOf{&Measurement::meetings, &Meetings::exchanges}, "", Null::later,
           "sums exchanged between the blocks of a kernel in one alignment; null without a device, and if "
           "unknown"},
    Column{"barriers", PartOf{&Measurement::meetings, &Meetings::barriers}, "", Null::later,
           "barriers of all blocks of a grid or cluster in one alignment; null as exchanges"},
    Column{"translation_error_m", PartOf{&Measurement::to_truth, &PoseDifference::translation_m}, "m",
           Null::may, "distance of the pose from the truth"},
    Column{"rotation_error_deg", PartOf{&Measurement::to_truth, &PoseDifference::rotation_deg}, "deg",
           Null::may, "angle between the pose and the truth"},
    Column{
        "trace", &Measurement::trace, "", Null::may,
        "lists with an entry per iteration, the guess first: score, nvtl, step_m, translation_error_m, "
        "rotation_error_deg; with a trust region level and radius_m. Windows are one level past the last"}};

inline constexpr std::tuple kOutcomeColumns{
    Column{"search", &Measurement::search, "", Null::later,
           "search for the initial pose. Its iterations and evaluations are sums. align_us and the traffic "
           "are those of the search, all else is of the best particle"},
    Column{"error", &Measurement::error, "", Null::may, "why there is no measurement"},
    Column{"error_kind", &Measurement::failure, "", Null::may,
           "exception, crash, timeout, memory or skipped (a batch that takes too long)"}};

}  // namespace ndt::harness
