#include "ndt/harness/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ndt/align/align_result.hpp"
#include "ndt/harness/registry.hpp"
#include "ndt/harness/text_table.hpp"

namespace ndt::harness {
namespace {

bool same_job(const RunRow& row, const SummaryLine& line) {
  return row.dataset == line.dataset && row.threads == line.threads && row.implementation == line.implementation;
}

SummaryLine line_for(const RunRow& row) {
  SummaryLine line;
  line.dataset = row.dataset;
  line.implementation = row.implementation;
  line.points = row.points;
  line.voxels = row.voxels;
  line.threads = row.threads;
  return line;
}

void add(std::optional<PoseDifference>& largest, const std::optional<PoseDifference>& d) {
  if (!d) return;
  if (!largest) largest.emplace();
  largest->translation_m = std::max(largest->translation_m, d->translation_m);
  largest->rotation_deg = std::max(largest->rotation_deg, d->rotation_deg);
}

void fill(SummaryLine& line, std::span<const RunRow> rows) {
  std::vector<double> time_us, idle_us, iterations, ns_per_point_evaluation;
  int converged = 0;
  for (const RunRow& row : rows) {
    if (!same_job(row, line)) continue;
    if (!row.error.empty()) {
      line.error = row.error;
      continue;
    }
    line.build_us = row.build_us;
    time_us.push_back(row.align_us);
    idle_us.push_back(row.align_after_idle_us);
    iterations.push_back(row.iterations);
    const double work = static_cast<double>(row.evaluations) * static_cast<double>(row.points);
    if (work > 0) ns_per_point_evaluation.push_back(row.align_us * 1000 / work);
    converged += row.stop == to_string(Stop::converged) ? 1 : 0;
    add(line.max_to_reference, row.to_reference);
  }
  line.samples = static_cast<int>(time_us.size());
  if (time_us.empty()) return;
  line.converged_share = static_cast<double>(converged) / line.samples;
  line.iterations_median = median(iterations);
  line.p50_us = median(time_us);
  line.p90_us = quantile(time_us, 0.9);
  line.after_idle_p50_us = median(idle_us);
  if (!ns_per_point_evaluation.empty()) line.ns_per_point_evaluation = median(ns_per_point_evaluation);
}

void compare_with_reference(std::vector<SummaryLine>& lines) {
  for (SummaryLine& line : lines) {
    const auto reference = std::ranges::find_if(lines, [&](const SummaryLine& other) {
      return other.implementation == kReference && other.dataset == line.dataset && other.threads == line.threads;
    });
    if (reference != lines.end() && reference->samples > 0 && line.ns_per_point_evaluation > 0)
      line.speed_ratio = reference->ns_per_point_evaluation / line.ns_per_point_evaluation;
  }
}

std::vector<std::string> cells(const SummaryLine& s) {
  std::vector<std::string> head = {
      s.dataset,        fmt::format("{}", s.points), fmt::format("{}", s.voxels), fmt::format("{}", s.threads),
      s.implementation, fmt::format("{}", s.samples)};
  if (s.samples == 0) {
    head.resize(16, "-");
    return head;
  }
  const auto& d = s.max_to_reference;
  for (std::string cell :
       {fmt::format("{:.0f}", 100 * s.converged_share), fmt::format("{:g}", s.iterations_median),
        fmt::format("{:.3f}", s.p50_us / 1000), fmt::format("{:.3f}", s.p90_us / 1000),
        fmt::format("{:.3f}", s.after_idle_p50_us / 1000), fmt::format("{:.1f}", s.ns_per_point_evaluation),
        s.speed_ratio ? fmt::format("{:.2f}", *s.speed_ratio) : "-",
        d ? fmt::format("{:.4f}", d->translation_m * 1000) : "-", d ? fmt::format("{:.5f}", d->rotation_deg) : "-",
        fmt::format("{:.1f}", s.build_us / 1000)})
    head.push_back(std::move(cell));
  return head;
}

}  // namespace

std::vector<SummaryLine> summarise(std::span<const RunRow> rows) {
  std::vector<SummaryLine> lines;
  for (const RunRow& row : rows)
    if (std::ranges::none_of(lines, [&](const SummaryLine& line) { return same_job(row, line); }))
      lines.push_back(line_for(row));
  for (SummaryLine& line : lines) fill(line, rows);
  compare_with_reference(lines);
  return lines;
}

std::string summary_table(std::span<const SummaryLine> lines) {
  static const std::vector<TextColumn> kColumns = {{"dataset", "", true},
                                                   {"points", ""},
                                                   {"voxels", ""},
                                                   {"thr", ""},
                                                   {"implementation", "", true},
                                                   {"n", ""},
                                                   {"conv", "%"},
                                                   {"iter", "p50"},
                                                   {"p50", "ms"},
                                                   {"p90", "ms"},
                                                   {"idle", "p50 ms"},
                                                   {"ns per", "pt&ev"},
                                                   {"speed", "/ref"},
                                                   {"dpos", "max mm"},
                                                   {"drot", "max deg"},
                                                   {"build", "ms"}};
  std::vector<std::vector<std::string>> rows;
  for (const SummaryLine& line : lines) rows.push_back(cells(line));
  return text_table(kColumns, rows);
}

}  // namespace ndt::harness
