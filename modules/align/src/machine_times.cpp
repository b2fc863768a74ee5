#include "ndt/machine_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "commit.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/cuda/device.hpp"
#include "ndt/edge/stage_clock.hpp"

namespace ndt {
namespace {

using json = nlohmann::ordered_json;

/// Below this share of the usual implementation's time another is worth last bits that differ.
constexpr double kWorthIt = 0.9;

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Not as at(): a number of another kind would be converted.
std::size_t count_at(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_number_unsigned() || value == 0)
    throw InputError(std::string(key) + " is not a whole number above 0");
  return value.get<std::size_t>();
}

MachineTime time_from(const json& object) {
  MachineTime time{count_at(object, "points"), count_at(object, "poses"), object.at("implementation"),
                   object.at("us")};
  if (!(time.us > 0)) throw InputError("us is not above 0");
  return time;
}

/// Names the first thing that differs.
std::string difference(const Machine& there, const Machine& here) {
  const auto told = [](const char* what, const std::string& a, const std::string& b) {
    const auto named = [](const std::string& name) { return name.empty() ? "none" : "'" + name + "'"; };
    return std::string("of another ") + what + ": " + named(a) + ", and here is " + named(b);
  };
  if (there.cpu != here.cpu) return told("processor", there.cpu, here.cpu);
  if (there.threads != here.threads)
    return told("number of threads", std::to_string(there.threads), std::to_string(here.threads));
  if (there.gpu != here.gpu) return told("GPU", there.gpu, here.gpu);
  if (there.driver != here.driver) return told("driver", there.driver, here.driver);
  return told("version", there.version, here.version);
}

/// Of a regular file of a plausible size; what else lies there is not read.
std::string text_of(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) throw InputError("it is not a file");
  if (std::filesystem::file_size(file, ignored) > Limits::kMetadataBytes) throw InputError("it is too large");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("it cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// How far apart two numbers are in ratio.
double apart(std::size_t a, std::size_t b) {
  return std::abs(std::log(static_cast<double>(a)) - std::log(static_cast<double>(b)));
}

/// The smallest of the values of `member` that are nearest to `wanted`.
std::size_t nearest(std::span<const MachineTime> times, std::size_t MachineTime::*member,
                    std::size_t wanted) {
  const auto closer = [&](const MachineTime& a, const MachineTime& b) {
    const double to_a = apart(a.*member, wanted), to_b = apart(b.*member, wanted);
    return to_a < to_b || (to_a == to_b && a.*member < b.*member);
  };
  return (*std::ranges::min_element(times, closer)).*member;
}

std::vector<MachineTime> nearest_to(const Workload& work, std::span<const MachineTime> all) {
  std::vector<MachineTime> times(all.begin(), all.end());
  for (const auto& [member, wanted] :
       {std::pair(&MachineTime::poses, work.poses), std::pair(&MachineTime::points, work.points)}) {
    if (times.empty()) break;
    const std::size_t taken = nearest(times, member, std::max<std::size_t>(1, wanted));
    std::erase_if(times, [&, at = member](const MachineTime& time) { return time.*at != taken; });
  }
  return times;
}

}  // namespace

bool is_for_use(const Implementation& entry) {
  return !entry.not_for_use && !entry.peer && !entry.own_process;
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (const std::size_t at = line.find(": "); line.starts_with("model name") && at != std::string::npos)
      return line.substr(at + 2);
  return "unknown";
}

Machine this_machine() {
  Machine machine;
  machine.cpu = cpu_model();
  machine.threads = std::max(1U, std::thread::hardware_concurrency());
  for (const CudaDevice& device : cuda_state().devices)
    machine.gpu += (machine.gpu.empty() ? "" : ", ") + device.name;
  if (!machine.gpu.empty()) machine.driver = first_line("/proc/driver/nvidia/version");
  machine.version = NDT_VERSION ", commit " NDT_COMMIT ", " NDT_BUILD_TYPE;
  if (kStageClock) machine.version += ", stage clock";
  return machine;
}

std::string to_json(const MachineTimes& all) {
  const Machine& m = all.machine;
  json out = {{"measured_at", all.measured_at},
              {"machine",
               {{"cpu", m.cpu},
                {"threads", m.threads},
                {"gpu", m.gpu},
                {"driver", m.driver},
                {"version", m.version}}},
              {"times", json::array()}};
  for (const MachineTime& time : all.times)
    out["times"].push_back({{"points", time.points},
                            {"poses", time.poses},
                            {"implementation", time.implementation},
                            {"us", time.us}});
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

MachineTimes machine_times_from_json(std::string_view text) try {
  const json all = json::parse(text);
  const json& m = all.at("machine");
  MachineTimes out{{m.at("cpu"), count_at(m, "threads"), m.at("gpu"), m.at("driver"), m.at("version")},
                   all.at("measured_at"),
                   {}};
  for (const json& time : all.at("times")) out.times.push_back(time_from(time));
  if (out.times.empty()) throw InputError("it has no times");
  return out;
} catch (const json::exception&) {  // whose text may have any bytes of the file
  throw InputError("it is not what doctor --measure writes");
}

std::filesystem::path cache_folder() {
  if (const std::string given = environment("NDT_CACHE"); !given.empty()) return given;
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty())
    return std::filesystem::path(base) / "ndt-bench";
  if (const std::string home = environment("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache" / "ndt-bench";
  throw InputError("none of NDT_CACHE, XDG_CACHE_HOME and HOME is set; set NDT_CACHE to a folder");
}

std::filesystem::path machine_times_file() {
  if (const std::string given = environment("NDT_AUTO_TIMES"); !given.empty()) return given;
  return cache_folder() / "auto_times.json";
}

KeptTimes kept_times() try {
  const std::filesystem::path file = machine_times_file();
  std::error_code unseen;
  if (!std::filesystem::exists(file, unseen))
    return {std::nullopt, unseen ? file.string() + " is not used: " + unseen.message()
                                 : "nothing was measured on this machine"};
  try {
    MachineTimes times = machine_times_from_json(text_of(file));
    if (const Machine here = this_machine(); times.machine != here)
      throw InputError("its times are " + difference(times.machine, here));
    return {std::move(times), ""};
  } catch (const InputError& error) {
    return {std::nullopt, file.string() + " is not used: " + error.what()};
  }
} catch (const InputError& error) {
  return {std::nullopt, error.what()};
}

const Implementation* faster_than(const Implementation* usual, std::span<const Implementation> table,
                                  std::span<const MachineTime> times, const Workload& work,
                                  const MayTake& may) {
  const Implementation* best = nullptr;
  double usual_us = std::numeric_limits<double>::infinity(), best_us = usual_us;
  for (const MachineTime& time : nearest_to(work, times)) {
    const auto entry = std::ranges::find(table, time.implementation, &Implementation::name);
    if (entry == table.end() || !is_for_use(*entry) || (work.on_device && !entry->on_device) ||
        (may && !may(*entry)) || !entry->unavailable_reason().empty())
      continue;
    if (&*entry == usual) usual_us = time.us;
    if (time.us < best_us) best_us = time.us, best = &*entry;
  }
  return best != nullptr && best_us < kWorthIt * usual_us ? best : usual;
}

const Implementation* faster_here(const Implementation* usual, std::span<const Implementation> table,
                                  const Workload& work, const AlignOptions& options, const MayTake& may) {
  if (options.threads != 0 || options.device != 0 || options.devices != 1) return usual;
  const KeptTimes kept = kept_times();
  return kept.times ? faster_than(usual, table, kept.times->times, work, may) : usual;
}

}  // namespace ndt
