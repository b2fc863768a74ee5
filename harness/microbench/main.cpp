// ndt-microbench: Google Benchmark over the table of implementations.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "microbench/microbench.hpp"
#include "ndt/named_options.hpp"

namespace {

using ndt::harness::ExitCode;

constexpr const char *kThreadsAbout = "CPU workers of every implementation, 0 (default) = one per core",
                     *kProfileAbout = "options of every alignment and map, autoware by default";

int fail(ExitCode code, std::string_view message) {
  ndt::harness::notice("ndt-microbench: {}\n", message);
  return static_cast<int>(code);
}

void print_help() {
  fmt::print(
      "Times the parts of a registration, each alone, for every implementation:\n"
      "build/<implementation>/<map points>, update/<implementation>/<map points> (a tile of 20 m),\n"
      "exchange/<implementation>/<map points>, evaluate/<implementation>/<scan points>,\n"
      "score/<implementation>/<scan points>x<poses>, align/<implementation>/<scan points>,\n"
      "all with /real_time appended.\n\n          [--threads N] {}\n          [--profile NAME] {}\n\n",
      kThreadsAbout, kProfileAbout);
  std::fflush(stdout);
  benchmark::PrintDefaultHelp();
}

/// Parses what Google Benchmark left of the command line.
ndt::AlignOptions parse(int argc, char** argv) {
  CLI::App app{"", "ndt-microbench"};
  app.set_help_flag();
  int threads = 0;
  std::string profile(to_string(ndt::Profile::autoware));
  app.add_option("--threads", threads, kThreadsAbout);
  app.add_option("--profile", profile, kProfileAbout);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw ndt::harness::UsageError(fmt::format("{}; see ndt-microbench --help", error.what()));
  }
  ndt::AlignOptions options = ndt::AlignOptions::of(ndt::value_from<ndt::Profile>("profile", profile));
  options.threads = threads;
  validate(options);
  benchmark::AddCustomContext("ndt_profile", profile);
  return options;
}

void describe_build(const ndt::AlignOptions& options) {
  const ndt::harness::BuildInfo& build = ndt::harness::build_info();
  benchmark::AddCustomContext("ndt_version", std::string(build.version));
  benchmark::AddCustomContext("ndt_commit", std::string(build.commit));
  benchmark::AddCustomContext("ndt_build_type", std::string(build.build_type));
  benchmark::AddCustomContext("ndt_flags", std::string(build.flags));
  benchmark::AddCustomContext("ndt_threads",
                              options.threads == 0 ? "one per core" : std::to_string(options.threads));
}

}  // namespace

int main(int argc, char** argv) {
  ndt::harness::open_standard_streams();
  try {
    benchmark::Initialize(&argc, argv, print_help);
    const ndt::AlignOptions options = parse(argc, argv);
    describe_build(options);
    int failed = 0;
    ndt::harness::register_microbenchmarks(ndt::harness::implementations(), options, failed);
    const std::size_t matched = benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    if (matched == 0)
      return fail(ExitCode::usage, "--benchmark_filter matches no benchmark; see --benchmark_list_tests");
    if (failed > 0)
      return fail(ExitCode::jobs_failed, fmt::format("{} benchmarks gave no number, see above", failed));
    return static_cast<int>(ExitCode::ok);
  } catch (const std::exception& error) {
    return fail(ndt::harness::exit_code_of(error), error.what());
  }
}
