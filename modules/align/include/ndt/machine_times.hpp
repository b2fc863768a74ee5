// How long the implementations take on this machine, for "auto": measured once (ndt-bench doctor --measure),
// kept in a file of this machine, and looked up by the size of the work.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/align/implementation.hpp"

namespace ndt {

/// What an aligner is for, as far as it is known when it is made. The default is tracking.
struct Workload {
  std::size_t points = 5000;  ///< of a scan, as it is aligned
  std::size_t poses = 1;      ///< of one call
  bool on_device = false;     ///< clouds lie in a GPU's memory: only what runs there can read them
};

/// Where times were measured, and with which version of this library.
struct Machine {
  std::string cpu;          ///< its name
  std::size_t threads = 0;  ///< that it runs at once
  std::string gpu;          ///< names of all that this build can use; empty: none
  std::string driver;       ///< of the GPUs
  std::string version;      ///< of the library, its commit, and the type of its build

  bool operator==(const Machine&) const = default;  ///< whether times of one hold for the other
};
/// Looks at the machine and at this build.
Machine this_machine();
/// The processor's name in /proc/cpuinfo, or "unknown".
std::string cpu_model();

/// Median time of one call that aligns so many poses of a scan of so many points.
struct MachineTime {
  std::size_t points = 0;      ///< of the scan
  std::size_t poses = 0;       ///< of the batch
  std::string implementation;  ///< its name
  double us = 0;               ///< of the whole batch

  bool operator==(const MachineTime&) const = default;  ///< in every member
};

/// What one measurement of a machine gave: the content of the file.
struct MachineTimes {
  Machine machine;                 ///< that was measured
  std::string measured_at;         ///< UTC, ISO 8601
  std::vector<MachineTime> times;  ///< in any order
};

/// As the file has them.
std::string to_json(const MachineTimes& times);
/// Throws InputError for a text that to_json() cannot have made.
MachineTimes machine_times_from_json(std::string_view text);

/// The folder for what is made on this machine and kept: NDT_CACHE, else ndt-bench below XDG_CACHE_HOME or
/// ~/.cache. Throws InputError if the environment names none.
std::filesystem::path cache_folder();
/// The file that NDT_AUTO_TIMES names, else auto_times.json in that folder. Throws as cache_folder() does.
std::filesystem::path machine_times_file();

/// The times of that file, if they are this machine's; else why there are none. Never throws for what the
/// file is or holds.
struct KeptTimes {
  std::optional<MachineTimes> times;  ///< of this machine
  std::string why_not;                ///< empty where there are times
};
/// Reads the file anew at every call.
KeptTimes kept_times();

/// Whether "auto" may take it where it can run: no study, and none of another algorithm or process.
bool is_for_use(const Implementation& entry);

/// Says of an implementation whether it may be taken.
using MayTake = std::function<bool(const Implementation&)>;

/// The implementation of `table` with the least time for the work nearest to this one, of those that can run
/// here, are for use and may be taken; `usual` unless that one's time is less than nine tenths of its own.
/// Nearest in ratio: first among the numbers of poses, then among the numbers of points measured with that
/// one. `usual` may be null.
const Implementation* faster_than(const Implementation* usual, std::span<const Implementation> table,
                                  std::span<const MachineTime> times, const Workload& work,
                                  const MayTake& may = {});

/// The same by the times that are kept. `usual` where there are none, and where they do not hold: they are of
/// all cores and of the first GPU alone, so not for options that name threads or devices.
const Implementation* faster_here(const Implementation* usual, std::span<const Implementation> table,
                                  const Workload& work, const AlignOptions& options, const MayTake& may = {});

}  // namespace ndt
