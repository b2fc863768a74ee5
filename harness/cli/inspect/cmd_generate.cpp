// ndt-bench generate: a synthetic dataset as a folder.
#include <fmt/format.h>

#include <limits>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/interruptible.hpp"
#include "data/sources.hpp"
#include "ndt/align/option.hpp"

namespace ndt::harness {
namespace {

struct GenerateCommand {
  std::string dataset, scale = "standard", out;
  std::int64_t seed = 1;
  int threads = 0, beams = 0;
  bool traffic = false, distortion = false;
};

TownSummary generate(const GenerateCommand& a) {
  require_whole("seed", a.seed, 0, std::numeric_limits<std::int64_t>::max());
  const TownOptions options{.scale = town_scale(a.scale),
                            .seed = static_cast<std::uint64_t>(a.seed),
                            .threads = a.threads,
                            .traffic = a.traffic,
                            .beams = a.beams,
                            .distortion = a.distortion};
  return interruptible([&] { return generate_town(options, a.out, ProgressLine().report()); },
                       [] { return kNoPartKept; });
}

ExitCode generate_dataset(const GenerateCommand& a) {
  if (a.dataset != "town")
    throw unknown_name("dataset to generate", a.dataset, std::vector<std::string>{"town"});
  const Stopwatch watch;
  const TownSummary s = generate(a);
  fmt::print("{} in {}: {} scans over {:.0f} m, {} points a scan, {} map points, {:.1f} MB, {:.1f} s\n",
             s.name, printable_name(a.out), s.scans, s.drive_m, s.scan_points / s.scans, s.map_points,
             static_cast<double>(s.bytes) / 1e6, watch.elapsed_us() / 1e6);
  return ExitCode::ok;
}

}  // namespace

void add_generate(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<GenerateCommand>();
  CLI::App& command = add_command(app, chosen, "generate", "Write a synthetic dataset with exact truth: town",
                                  a, generate_dataset);
  command.add_option("dataset", a->dataset, "town: a laser scanner driven through streets")
      ->type_name("NAME")
      ->required();
  command.add_option("--scale", a->scale, "which drive: " + town_scale_names())
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--seed", a->seed, "another town; the same seed gives the same bytes")
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--out", a->out, "folder, made with its parents; one that is not empty is refused")
      ->type_name("DIR")
      ->required();
  command.add_flag("--traffic", a->traffic,
                   "vehicles move with the car and towards it; they are not in the map");
  command.add_flag("--distortion", a->distortion,
                   "a sweep takes 0.1 s while the car moves, and is not corrected");
  command
      .add_option(
          "--beams", a->beams,
          "beams of a scan, a part of the scanner's or up to 256; the map has the scanner's (default: all)")
      ->type_name("N");
  command
      .add_option("--threads", a->threads,
                  "CPU workers, 0 (default) = one per core; the bytes do not depend on it")
      ->type_name("N");
}

}  // namespace ndt::harness
