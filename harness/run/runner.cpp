#include "run/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <map>
#include <set>

#include "base/interruption.hpp"
#include "data/load_dataset.hpp"
#include "run/child_process.hpp"
#include "run/job_measurements.hpp"
#include "run/plan_parts.hpp"

namespace ndt::harness {
namespace {

/// A process that finished without its measurement counts as crashed.
Failure failure_of(ChildEnd::Kind kind) {
  if (kind == ChildEnd::Kind::silent) return Failure::timeout;
  if (kind == ChildEnd::Kind::too_large) return Failure::memory;
  return Failure::crash;
}

class Runner {
 public:
  Runner(RunFolder& folder, const ReportProgress& report) : folder_(folder), report_(report) {}

  void run() {
    std::map<std::string, Dataset> datasets;
    const std::vector<const Job*> jobs = own_jobs(folder_.plan());
    for (const Job* job : jobs)
      if (!datasets.contains(job->dataset)) datasets.emplace(job->dataset, load_dataset(job->dataset));
    std::set<std::string> planned;  // jobs of two studies may share measurements
    for (const Job* job : jobs)
      for (const Measurement& measurement :
           planned_measurements(folder_.plan().run_id, *job, datasets.at(job->dataset)))
        planned.insert(measurement_key(measurement));
    folder_.require_all_in(planned);
    progress_.total = planned.size();
    progress_.done = folder_.measurements();
    for (const Job* job : jobs) run_job(*job, datasets.at(job->dataset));
  }

 private:
  void run_job(const Job& job, const Dataset& dataset) {
    const std::vector<Measurement> measurements = planned_measurements(folder_.plan().run_id, job, dataset);
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < measurements.size(); ++k)
      if (!folder_.done(measurements[k])) left.push_back(k);
    if (left.empty()) return;
    progress_.now = fmt::format("{} on {}, {}, {} thread{}", job.implementation, dataset.name,
                                job.variant.name, job.threads, job.threads == 1 ? "" : "s");
    report_(progress_);
    while (!left.empty()) {
      bool ready = false;
      const ChildEnd end = measure_in_child(job, left, ready);
      Interruption::check();  // Ctrl-C ends the child, too, which is no failure of its measurement
      if (left.empty()) break;
      // Another process would not get through its preparations either, unless someone killed this one.
      const std::size_t lost = ready || end.kind == ChildEnd::Kind::crashed ? 1 : left.size();
      for (std::size_t k = 0; k < lost; ++k) {
        fail(measurements[left.front()], end);
        left.erase(left.begin());
      }
    }
  }

  /// Takes what was measured off `left`. ready: the map was built.
  ChildEnd measure_in_child(const Job& job, std::vector<std::size_t>& left, bool& ready) {
    const JobLimits& limits = folder_.plan().limits;
    const std::vector<std::string> arguments = {"measure-job",
                                                "--run",
                                                folder_.path().string(),
                                                "--job",
                                                std::to_string(job.index),
                                                "--parent",
                                                std::to_string(::getpid()),
                                                "--measurements",
                                                fmt::format("{}", fmt::join(left, ","))};
    const ChildLimits child_limits{limits.measurement_s, limits.memory_mib << 20};
    return run_child(arguments, child_limits, [&](const std::string& line) {
      ready = true;
      if (line.empty()) return;  // the child's word that it is
      folder_.append_line(line, parse_measurement(line));
      left.erase(left.begin());
      step();
    });
  }

  void fail(Measurement measurement, const ChildEnd& end) {
    measurement.error =
        end.kind == ChildEnd::Kind::finished ? "its process ended without this measurement" : end.reason;
    measurement.failure = failure_of(end.kind);
    folder_.append(measurement);
    step();
  }

  void step() {
    ++progress_.done;
    report_(progress_);
  }

  RunFolder& folder_;
  const ReportProgress& report_;
  Progress progress_;
};

}  // namespace

void run(RunFolder& folder, const ReportProgress& report) { Runner(folder, report).run(); }

}  // namespace ndt::harness
