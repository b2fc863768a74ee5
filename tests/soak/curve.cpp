#include "curve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include "base/clock.hpp"
#include "device_memory.hpp"

namespace ndt::soak {

#ifndef NDT_WITH_CUDA
std::int64_t device_kib() { return 0; }
#endif

namespace {

constexpr std::int64_t kSamples = 200;

std::int64_t resident_kib() {
  std::ifstream in("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) / 1024;
}

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The value that so large a share of value(k) is below, in one quarter of the samples but the first.
template <class Value>
auto quantile_of_quarter(double share, std::size_t samples, std::size_t quarter, Value value) {
  std::vector<decltype(value(1))> values;
  const std::size_t steps = samples - 1;
  for (std::size_t k = 1 + quarter * steps / 4; k < 1 + (quarter + 1) * steps / 4; ++k)
    values.push_back(value(k));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Verdict judge(const std::vector<Sample>& samples, bool on_device) {
  constexpr std::size_t kFewest = 9;  // two in each quarter, and the first
  if (samples.size() < kFewest) return {};
  const auto growth = [&](std::int64_t Sample::*kib) {
    const auto at = [&](std::size_t k) { return samples[k].*kib; };
    return quantile_of_quarter(0.5, samples.size(), 3, at) - quantile_of_quarter(0.5, samples.size(), 2, at);
  };
  const auto time = [&](std::size_t k) {
    const Sample &a = samples[k - 1], &b = samples[k];
    return (on_device ? b.seconds - a.seconds : b.cpu_seconds - a.cpu_seconds) /
           static_cast<double>(b.done - a.done);
  };
  return {growth(&Sample::resident_kib), growth(&Sample::device_kib),
          quantile_of_quarter(0.25, samples.size(), 3, time) /
              quantile_of_quarter(0.25, samples.size(), 1, time)};
}

std::vector<Sample> sampled(std::int64_t times, double seconds,
                            const std::function<void(std::int64_t)>& once) {
  const harness::Stopwatch clock;
  const double cpu_before = cpu_seconds();
  std::vector<Sample> samples;
  samples.reserve(3 * kSamples);
  const auto elapsed = [&] { return 1e-6 * clock.elapsed_us(); };
  const auto sample = [&](std::int64_t done) {
    samples.push_back({done, elapsed(), cpu_seconds() - cpu_before, resident_kib(), device_kib()});
  };
  sample(0);
  const std::int64_t apart = std::max<std::int64_t>(1, times / kSamples);
  const double apart_s = seconds > 0 ? seconds / static_cast<double>(kSamples) : 1e300;
  for (std::int64_t k = 0; k < times; ++k) {
    once(k);
    const double now = elapsed();
    const bool over = seconds > 0 && now >= seconds;
    if ((k + 1) % apart == 0 || now >= samples.back().seconds + apart_s || over) sample(k + 1);
    if (over) break;
  }
  return samples;
}

Curves::Curves(const std::string& file) : file_(std::fopen(file.c_str(), "w")) {
  if (!file_) throw std::runtime_error(fmt::format("{}: cannot be written: {}", file, std::strerror(errno)));
  fmt::print(file_.get(), "implementation,what,done,seconds,cpu_seconds,resident_kib,device_kib\n");
}

void Curves::add(const std::string& implementation, const std::string& what,
                 const std::vector<Sample>& samples) {
  for (const Sample& s : samples)
    fmt::print(file_.get(), "{},{},{},{:.6f},{:.6f},{},{}\n", implementation, what, s.done, s.seconds,
               s.cpu_seconds, s.resident_kib, s.device_kib);
  std::fflush(file_.get());
}

}  // namespace ndt::soak
