#include "localize/long_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/metrics.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {
namespace {

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

bool same_bits(const Transform& a, const Transform& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

LongRun::LongRun(std::size_t scans, std::size_t laps)
    : scans_(scans), laps_(laps), first_lap_(laps > 1 ? scans / laps : 0) {
  scan_ms_.reserve(scans), cpu_ms_.reserve(scans),
      work_.reserve(scans);  // so that notes are no memory that grows
}

void LongRun::add(const LocalizedScan& scan, const std::optional<localization::DeviceBytes>& device) {
  const localization::MapUpdate update = scan.map_update.value_or(localization::MapUpdate());
  scan_ms_.push_back(frame_ms(scan) + update.swap_us / 1000 + update.waited_ms);
  cpu_ms_.push_back(scan.cpu_ms);
  work_.push_back(update.swapped ? MapWork::exchange : scan.map_building ? MapWork::building : MapWork::none);
  if (!first_lap_.empty()) {
    const Transform& pose = scan.report->map_from_scan;
    std::optional<Transform>& before = first_lap_[scan.frame % first_lap_.size()];
    if (scan.frame < first_lap_.size())
      before = pose;
    else
      ++repeated_, as_before_ += before && same_bits(*before, pose);
  }
  const std::array<std::size_t, 3> when{0, scans_ / 2, scans_ - 1};
  for (std::size_t k = 0; k < when.size(); ++k)
    if (scan.frame == when[k]) memory_[k] = MemoryAt{resident_bytes(), Nvml::get().memory(), device};
}

double LongRun::Late::expected(MapWork work) const {
  const LateScans& others = of(MapWork::none);
  if (others.scans == 0) return 0;
  return static_cast<double>(others.alone) / static_cast<double>(others.scans) *
         static_cast<double>(of(work).scans);
}

/// The median of the scans around k without work; of k itself where there is none.
double LongRun::around(const std::vector<double>& ms, std::size_t k) const {
  constexpr std::size_t kReach = 5;
  std::vector<double> near;
  for (std::size_t i = k - std::min(k, kReach); i < std::min(ms.size(), k + kReach + 1); ++i)
    if (i != k && work_[i] == MapWork::none) near.push_back(ms[i]);
  return near.empty() ? ms[k] : median(near);
}

LongRun::Late LongRun::late_of(const std::vector<double>& ms) const {
  if (ms.empty()) return {};
  Late out{median(ms), {}};
  for (std::size_t k = 0; k < ms.size(); ++k) {
    LateScans& with = out.by_work[static_cast<std::size_t>(work_[k])];
    ++with.scans;
    if (ms[k] <= 2 * out.median_ms) continue;
    ++with.late;
    with.alone += ms[k] > 2 * around(ms, k);
  }
  return out;
}

std::string LongRun::late_text() const {
  const Late late = this->late(), by_cpu = late_by_cpu();
  std::string text = fmt::format(
      "late scans       {} of {} took more than twice the median, {:.2f} ms, the map's exchange and "
      "waiting for it counted\n"
      "                 {} by the CPU time of their thread, median {:.2f} ms\n",
      late.scans(), scan_ms_.size(), late.median_ms, by_cpu.scans(), by_cpu.median_ms);
  if (late.of(MapWork::none).scans == scan_ms_.size()) return text;
  text += fmt::format("{:<17}{:>8} {:>8} {:>8} {:>8} {:>12} {:>8} {:>8}\n", "of these", "scans", "late",
                      "alone", "expected", "by CPU: late", "alone", "expected");
  const auto line = [&](const char* name, MapWork work) {
    const LateScans &a = late.of(work), &b = by_cpu.of(work);
    text += fmt::format("  {:<15}{:8} {:8} {:8} {:8.1f} {:12} {:8} {:8.1f}\n", name, a.scans, a.late, a.alone,
                        late.expected(work), b.late, b.alone, by_cpu.expected(work));
  };
  line("exchange", MapWork::exchange);
  line("beside a build", MapWork::building);
  line("others", MapWork::none);
  return text;
}

std::string LongRun::memory_text() const {
  std::vector<std::string> host, gpu, device;
  std::int64_t most = 0;
  bool own = false;
  for (const std::optional<MemoryAt>& at : memory_) {
    if (!at) continue;
    host.push_back(fmt::format("{:.1f}", megabytes(at->host_bytes)));
    if (at->gpu) gpu.push_back(fmt::format("{:.1f}", megabytes(at->gpu->bytes))), own = at->gpu->own;
    if (at->device)
      device.push_back(fmt::format("{:.1f}", megabytes(static_cast<std::uint64_t>(at->device->held)))),
          most = at->device->most;
  }
  std::string text = fmt::format(
      "memory           host {} MB after the first, the middle and the last scan\n", fmt::join(host, ", "));
  if (!device.empty())
    text +=
        fmt::format("                 device {} MB taken by alignments, tiles and maps, at most {:.1f} MB\n",
                    fmt::join(device, ", "), megabytes(static_cast<std::uint64_t>(most)));
  if (!device.empty() && !gpu.empty())
    text += fmt::format("                 GPU {} MB as nvidia-smi has it, of {}\n", fmt::join(gpu, ", "),
                        own ? "this process" : "all processes");
  return text;
}

std::string LongRun::text() const {
  std::string text;
  if (laps_ > 1)
    text += fmt::format("laps             {} of {} scans; {} of {} poses after the first lap have its bits\n",
                        laps_, scans_ / laps_, as_before_, repeated_);
  return text + late_text() + memory_text();
}

std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace ndt::harness
