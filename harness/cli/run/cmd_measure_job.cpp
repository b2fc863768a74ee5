// ndt-bench measure-job: what run starts for every job. Not for people: measurements go to a descriptor that
// run has opened.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/common/commands.hpp"
#include "data/load_dataset.hpp"
#include "ndt/core/error.hpp"
#include "ndt/io/numbers.hpp"
#include "run/child_process.hpp"
#include "run/measure.hpp"

namespace ndt::harness {
namespace {

struct MeasureJobCommand {
  std::string run, measurements;
  std::size_t job = 0;
  int parent = 0;
};

void send(const std::string& line) {
  const std::string text = line + '\n';
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = ::write(kMeasurementsDescriptor, text.data() + sent, text.size() - sent);
    if (n < 0)
      throw InputError("measure-job: descriptor 3 has no reader; only ndt-bench run may start this command");
    sent += static_cast<std::size_t>(n);
  }
}

ExitCode measure_job(const MeasureJobCommand& a) {
  die_with_parent(a.parent);
  const Plan plan = read_plan(std::filesystem::path(a.run) / "plan.json");
  if (a.job >= plan.jobs.size())
    throw UsageError(fmt::format("--job {}: the plan has {} jobs", a.job, plan.jobs.size()));
  const Job& job = plan.jobs[a.job];
  const Dataset dataset = load_dataset(job.dataset);
  std::vector<std::size_t> wanted;
  for (const double index : parse_numbers(a.measurements, "--measurements"))
    wanted.push_back(static_cast<std::size_t>(std::max(0.0, index)));
  measure(plan, job, find_implementation(job.implementation), dataset, wanted,
          {.ready = [] { send(""); },
           .measured = [](const Measurement& measurement) { send(to_json_line(measurement)); }});
  return ExitCode::ok;
}

}  // namespace

void add_measure_job(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<MeasureJobCommand>();
  CLI::App& command =
      add_command(app, chosen, "measure-job", "One job of a run, for ndt-bench run", a, measure_job);
  command.group("");  // not listed
  command.add_option("--run", a->run)->required();
  command.add_option("--job", a->job)->required();
  command.add_option("--measurements", a->measurements)->required();
  command.add_option("--parent", a->parent)->required();
}

}  // namespace ndt::harness
