// A million alignments on one aligner, and ten thousand aligners that are made, given a map, used once and
// destroyed, for every implementation that can run here. Results must have the same bits throughout, and
// memory and time must stay flat.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/clock.hpp"
#include "curve.hpp"
#include "registry/registry.hpp"
#include "run/repeatability.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

constexpr std::size_t kScanPoints = 200;

struct Arguments {
  std::int64_t alignments = 1000000, aligners = 10000;
  double seconds = 0;
  int threads = 1;
  bool pyramid = false;
  std::vector<std::string> implementations;
  std::string out = "soak_alignments.csv";
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  CLI::App app("soak_alignments: the same bits, flat memory and flat time over many alignments");
  app.add_option("--alignments", a.alignments, "alignments on one aligner; 0: none")->capture_default_str();
  app.add_option("--aligners", a.aligners, "aligners made, used once and destroyed; 0: none")
      ->capture_default_str();
  app.add_option("--seconds", a.seconds, "the most for all curves together; 0: no limit")
      ->capture_default_str();
  app.add_option("--threads", a.threads, "CPU workers")->capture_default_str()->check(CLI::Range(1, 256));
  app.add_flag("--pyramid", a.pyramid, "profile pyramid in place of autoware");
  app.add_option("--implementation", a.implementations, "only these; may be given more than once");
  app.add_option("--out", a.out, "file of the curves")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return a;
}

/// Compares each result with the first from the same guess.
class Bits {
 public:
  explicit Bits(std::size_t guesses) : first_(guesses) {}
  void see(std::size_t guess, const AlignResult& result) {
    if (!first_[guess])
      first_[guess] = result;
    else if (!harness::same_bits(*first_[guess], result))
      ++others_;
  }
  std::int64_t others() const { return others_; }

 private:
  std::vector<std::optional<AlignResult>> first_;
  std::int64_t others_ = 0;
};

class Soak {
 public:
  Soak(const Arguments& arguments, std::size_t implementations)
      : arguments_(arguments),
        curves_(arguments.out),
        curves_left_(implementations * ((arguments.alignments > 0) + (arguments.aligners > 0))) {
    for (const Pose& offset : test_clouds::offsets(6, 0.3, 0.03)) guesses_.push_back(to_transform(offset));
  }

  void run(const Implementation& entry) {
    AlignOptions options = arguments_.pyramid ? AlignOptions::pyramid() : AlignOptions::autoware();
    options.threads = arguments_.threads;
    try {
      entry.make(options);
    } catch (const std::invalid_argument& error) {
      fmt::print("{:24} left out: {}\n", entry.name, error.what());
      return;
    }
    if (arguments_.alignments > 0) many_alignments(entry, options);
    if (arguments_.aligners > 0) many_aligners(entry, options);
  }
  bool flat() const { return flat_; }

 private:
  void many_alignments(const Implementation& entry, const AlignOptions& options) {
    const auto aligner = entry.make(options);
    aligner->set_map(test_clouds::map());
    Bits bits(guesses_.size());
    report(entry, "alignments", bits, arguments_.alignments, [&](std::int64_t k) {
      const auto guess = static_cast<std::size_t>(k) % guesses_.size();
      bits.see(guess, aligner->align(scan_, guesses_[guess]));
    });
  }

  void many_aligners(const Implementation& entry, const AlignOptions& options) {
    Bits bits(guesses_.size());
    report(entry, "aligners", bits, arguments_.aligners, [&](std::int64_t k) {
      const auto guess = static_cast<std::size_t>(k) % guesses_.size();
      const auto aligner = entry.make(options);
      aligner->set_map(test_clouds::map());
      bits.see(guess, aligner->align(scan_, guesses_[guess]));
    });
  }

  void report(const Implementation& entry, const char* what, const Bits& bits, std::int64_t times,
              const std::function<void(std::int64_t)>& once) {
    const double left_s = std::max(1.0, arguments_.seconds - 1e-6 * clock_.elapsed_us());
    const double share_s = arguments_.seconds > 0 ? left_s / static_cast<double>(curves_left_--) : 0;
    const std::vector<soak::Sample> samples = soak::sampled(times, share_s, once);
    curves_.add(std::string(entry.name), what, samples);
    const soak::Verdict verdict = soak::judge(samples, entry.on_device);
    const soak::Sample& end = samples.back();
    const bool good = verdict.memory_flat() && verdict.time_flat() && bits.others() == 0;
    flat_ = flat_ && good;
    const double each_ms = 1e3 * end.seconds / static_cast<double>(std::max<std::int64_t>(1, end.done));
    fmt::print("{:24} {:10} {:>9} {:>8.0f} {:>8.3f} {:>10} {:>+10} {:>+10} {:>8.3f} {:>8}  {}\n", entry.name,
               what, end.done, end.seconds, each_ms, end.resident_kib, verdict.growth_kib,
               verdict.device_growth_kib, verdict.slowing, bits.others(), good ? "flat" : "NOT FLAT");
    std::fflush(stdout);
  }

  const Arguments& arguments_;
  soak::Curves curves_;
  std::size_t curves_left_;
  harness::Stopwatch clock_;
  PointCloud scan_ = test_clouds::scan_of(kScanPoints);
  std::vector<Transform> guesses_;
  bool flat_ = true;
};

/// Returns the implementations asked for, or all that can run here.
std::vector<const Implementation*> chosen(const Arguments& arguments) {
  std::vector<const Implementation*> out;
  for (const std::string& name : arguments.implementations)
    out.push_back(&harness::choose_implementation(name));
  if (!out.empty()) return out;
  for (const Implementation& entry : harness::implementations())
    if (const std::string reason = entry.unavailable_reason(); reason.empty())
      out.push_back(&entry);
    else
      fmt::print("left out: {}: {}\n", entry.name, reason);
  return out;
}

int soak_all(const Arguments& arguments) {
  const std::vector<const Implementation*> entries = chosen(arguments);
  Soak soak(arguments, entries.size());
  fmt::print(
      "growth: median resident memory of the last quarter less the third's, at most {} KiB; slowing:\n"
      "lower quartile of the times in the last quarter over the second's, at most {}\n"
      "{:24} {:10} {:>9} {:>8} {:>8} {:>10} {:>10} {:>10} {:>8} {:>8}  verdict\n",
      soak::kMostGrowth_kib, soak::kMostSlowing, "implementation", "what", "done", "seconds", "ms each",
      "KiB", "growth", "on device", "slowing", "others");
  for (const Implementation* entry : entries) soak.run(*entry);
  return soak.flat() ? 0 : 1;
}

}  // namespace
}  // namespace ndt

int main(int argc, char** argv) {
  const ndt::Arguments arguments = ndt::parse(argc, argv);
  try {
    return ndt::soak_all(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak_alignments: {}\n", error.what());
    return 2;
  }
}
