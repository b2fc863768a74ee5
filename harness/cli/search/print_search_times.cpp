#include <fmt/format.h>

#include "base/metrics.hpp"
#include "cli/common/print.hpp"

namespace ndt::harness {
namespace {

using initial_pose::SearchPart;
using initial_pose::SearchTimes;
using initial_pose::SearchWork;
using json = nlohmann::ordered_json;

double median_us(std::span<const SearchTimes> times, SearchPart part, SearchWork work) {
  std::vector<double> values;
  for (const SearchTimes& one : times) values.push_back(one.of(part, work));
  return median(std::move(values));
}

/// Calls f(part, work, median) for each work of the part.
template <class F>
void for_each_work(std::span<const SearchTimes> times, SearchPart part, F&& f) {
  for (std::size_t work = 0; work < initial_pose::kSearchWorks; ++work)
    f(static_cast<SearchWork>(work), median_us(times, part, static_cast<SearchWork>(work)));
}

}  // namespace

json to_json(std::span<const SearchTimes> times) {
  json out = json::object();
  for (std::size_t k = 0; k < initial_pose::kSearchParts; ++k) {
    const auto part = static_cast<SearchPart>(k);
    json& of_part = out[std::string(to_string(part))];
    of_part["batches"] = times.front().batches[k];
    for_each_work(times, part,
                  [&](SearchWork work, double us) { of_part[std::string(to_string(work))] = us; });
  }
  return out;
}

std::string to_text(std::span<const SearchTimes> times) {
  std::vector<TextColumn> columns{{"stage", "", true}, {"batches", ""}};
  for (std::size_t work = 0; work < initial_pose::kSearchWorks; ++work)
    columns.push_back({std::string(to_string(static_cast<SearchWork>(work))), "us"});
  columns.push_back({"sum", "us"});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < initial_pose::kSearchParts; ++k) {
    const auto part = static_cast<SearchPart>(k);
    rows.push_back({std::string(to_string(part)), fmt::format("{}", times.front().batches[k])});
    double sum = 0;
    for_each_work(times, part, [&](SearchWork, double us) {
      rows.back().push_back(fmt::format("{:.0f}", us));
      sum += us;
    });
    rows.back().push_back(fmt::format("{:.0f}", sum));
  }
  return text_table(columns, rows);
}

}  // namespace ndt::harness
