#include "localize/long_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

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
      exchanged_.reserve(scans);  // so that notes are no memory that grows
}

void LongRun::add(const LocalizedScan& scan, const std::optional<DeviceBytes>& device) {
  const MapUpdate update = scan.map_update.value_or(MapUpdate());
  scan_ms_.push_back(frame_ms(scan) + update.swap_us / 1000 + update.waited_ms);
  cpu_ms_.push_back(scan.cpu_ms);
  exchanged_.push_back(update.swapped);
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
    if (scan.frame == when[k]) memory_[k] = MemoryAt{resident_bytes(), gpu_memory(), device};
}

LongRun::Late LongRun::late_of(const std::vector<double>& ms) const {
  if (ms.empty()) return {};
  Late out{median(ms), 0, 0};
  for (std::size_t k = 0; k < ms.size(); ++k) {
    if (ms[k] <= 2 * out.median_ms) continue;
    ++out.scans;
    out.exchanges += exchanged_[k];
  }
  return out;
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
  const Late late = this->late(), by_cpu = late_by_cpu();
  std::string text;
  if (laps_ > 1)
    text += fmt::format("laps             {} of {} scans; {} of {} poses after the first lap have its bits\n",
                        laps_, scans_ / laps_, as_before_, repeated_);
  text += fmt::format(
      "late scans       {} of {} took more than twice the median, {:.2f} ms, the map's exchange and "
      "waiting for it counted; {} of the {} with an exchange\n",
      late.scans, scan_ms_.size(), late.median_ms, late.exchanges, std::ranges::count(exchanged_, true));
  text += fmt::format(
      "                 by the CPU time of their thread {}, median {:.2f} ms; {} with an exchange\n",
      by_cpu.scans, by_cpu.median_ms, by_cpu.exchanges);
  return text + memory_text();
}

}  // namespace ndt::harness
