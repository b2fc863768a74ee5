// ndt-bench run: implementations side by side; raw rows into a folder, a summary on stdout.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "align_flags.hpp"
#include "commands.hpp"
#include "ndt/harness/dataset.hpp"
#include "ndt/harness/environment.hpp"
#include "ndt/harness/output_file.hpp"
#include "ndt/harness/presets.hpp"
#include "ndt/harness/runner.hpp"
#include "ndt/harness/summary.hpp"

namespace ndt::harness {
namespace {

struct Arguments {
  std::string preset = "smoke", out, command_line;
  std::vector<std::string> datasets, implementations;
  std::vector<int> threads;
  std::optional<int> samples;
  AlignArguments align;
};

/// The given ones, or all that are available, in the registry's order: the reference comes first in every round.
std::vector<const AlignerEntry*> chosen_rows(const std::vector<std::string>& names, std::string& skipped) {
  std::vector<const AlignerEntry*> asked, rows;
  for (const std::string& name : names) asked.push_back(&implementation_from(name));
  for (const AlignerEntry& entry : aligners()) {
    const std::string reason = entry.unavailable_reason();
    if (names.empty() && !reason.empty()) skipped += fmt::format("; skipped {}: {}", entry.name, reason);
    if (names.empty() ? reason.empty() : std::ranges::find(asked, &entry) != asked.end()) rows.push_back(&entry);
  }
  return rows;
}

std::vector<int> chosen_threads(std::vector<int> threads) {
  if (threads.empty()) threads = {1, core_count()};
  std::vector<int> unique;
  for (const int given : threads) {
    const int count = given == 0 ? core_count() : given;
    if (std::ranges::find(unique, count) == unique.end()) unique.push_back(count);
  }
  return unique;
}

/// Names are checked before anything is measured.
void require_datasets(const std::vector<std::string>& names) {
  for (const std::string& name : names) load_dataset(name);
}

RunPlan plan_from(const Arguments& a, std::string& skipped) {
  const Preset& preset = find_preset(a.preset);
  RunPlan plan;
  plan.run_id = utc_now(true);
  plan.datasets = a.datasets.empty() ? preset.datasets : a.datasets;
  plan.samples = a.samples.value_or(preset.samples);
  plan.limit_s = preset.limit_s;
  plan.threads = chosen_threads(a.threads);
  for (const int threads : plan.threads) {
    AlignArguments with_threads = a.align;
    with_threads.threads = threads;
    plan.options = resolve(with_threads);
  }
  plan.resolution_m = a.align.resolution_m;
  plan.per_scan = per_scan(a.align);
  if (plan.samples < 1) throw UsageError(fmt::format("--samples = {}: must be 1 or more", plan.samples));
  plan.implementations = chosen_rows(a.implementations, skipped);
  require_datasets(plan.datasets);
  return plan;
}

/// Redraws one line of stderr, if that is a terminal.
void show_progress(std::string_view text) {
  if (::isatty(STDERR_FILENO)) fmt::print(stderr, "\r\x1b[K{}{}", text, text.empty() ? "" : " ...");
}

int failed_jobs(std::span<const SummaryLine> lines) {
  int failed = 0;
  for (const SummaryLine& line : lines) {
    if (line.error.empty()) continue;
    ++failed;
    fmt::print(stderr, "ndt-bench: {} on {} with {} threads failed: {}\n", line.implementation, line.dataset,
               line.threads, line.error);
  }
  return failed;
}

ExitCode run_benchmark(const Arguments& a) {
  std::string skipped;
  const RunPlan plan = plan_from(a, skipped);
  const std::filesystem::path folder = a.out.empty() ? "bench-results/" + plan.run_id : a.out;
  make_folder(folder);
  write_text(folder / "environment.json", environment_json(plan.run_id, a.command_line));

  LineFile results(folder / "results.jsonl");
  std::vector<RunRow> rows;
  run(plan, {.row =
                 [&](const RunRow& row) {
                   results.write(to_json_line(row));
                   rows.push_back(row);
                 },
             .progress = show_progress});
  results.finish();
  show_progress("");

  const std::vector<SummaryLine> lines = summarise(rows);
  fmt::print("{}", summary_table(lines));
  fmt::print("{} rows in {}{}\n", rows.size(), (folder / "results.jsonl").string(), skipped);
  return failed_jobs(lines) > 0 ? ExitCode::jobs_failed : ExitCode::ok;
}

}  // namespace

void add_run(CLI::App& app, Command& chosen, const std::string& command_line) {
  const auto a = std::make_shared<Arguments>();
  a->command_line = command_line;
  CLI::App& command = add_command(app, chosen, "run", "Measure implementations side by side", a, run_benchmark);
  command.add_option("--preset", a->preset, "what to run, a name in ndt-bench list")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--dataset", a->datasets, "instead of the preset's; may be repeated")->type_name("NAME");
  command.add_option("--implementation", a->implementations, "instead of all available ones; may be repeated")
      ->type_name("NAME");
  command.add_option("--threads", a->threads, "CPU workers, 0 = one per core; may be repeated (default: 1 and 0)")
      ->type_name("N");
  command
      .add_option("--samples", a->samples,
                  "alignments per implementation, dataset and thread count, rounded up to whole rounds of guesses")
      ->type_name("N");
  command
      .add_option("--out", a->out, "folder for results.jsonl and environment.json (default: bench-results/<UTC time>)")
      ->type_name("DIR");
  add_align_flags(command, a->align);
}

}  // namespace ndt::harness
