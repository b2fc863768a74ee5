#include "cli/run/print_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "cli/common/print.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

double bound_of(Quantity quantity, const PartingBounds& bounds) {
  return bounds.at(static_cast<std::size_t>(quantity));
}

/// Digits enough to see the difference, where there is one within a double.
std::string number(double value) { return fmt::format("{:.8g}", value); }

std::string iterations(const AlignResult& result) {
  return fmt::format("{} {}", result.iterations, to_string(result.stop));
}

std::string same_pose_text(const Parting& parting, const PartingBounds& bounds) {
  if (!parting.at_one_pose) return "-";
  return fmt::format("{} {:.2g}",
                     *parting.at_one_pose > bound_of(parting.quantity, bounds) ? "differs" : "agrees",
                     *parting.at_one_pose);
}

std::vector<std::string> cells(const NamedDiff& named, const PartingBounds& bounds) {
  const AlignmentDiff& d = named.diff;
  std::vector<std::string> row = {named.frame,
                                  named.guess,
                                  iterations(d.a),
                                  iterations(d.b),
                                  fmt::format("{:.3g}", d.apart.translation_m * 1000),
                                  fmt::format("{:.2g}", d.apart.rotation_deg)};
  if (!d.parting) {
    row.resize(13, "-");
    return row;
  }
  const Parting& p = *d.parting;
  const bool ends = p.quantity == Quantity::end;
  for (const std::string& cell :
       {fmt::format("{}", p.iteration), std::string(to_string(p.quantity)), number(p.a), number(p.b),
        ends ? std::string("-") : fmt::format("{:.2g}", p.difference), same_pose_text(p, bounds),
        fmt::format("{} of {}: {} as early, {} alike", d.float_steps->parted, d.float_steps->of,
                    d.float_steps->as_early, d.float_steps->same_way)})
    row.push_back(cell);
  return row;
}

json parting_json(const Parting& p, const PartingBounds& bounds) {
  json j = {{"iteration", p.iteration}, {"quantity", to_string(p.quantity)}, {"a", p.a}, {"b", p.b}};
  const bool ends = p.quantity == Quantity::end;
  j["difference"] = ends ? json() : json(p.difference);
  j["bound"] = ends ? json() : json(bound_of(p.quantity, bounds));
  j["difference_at_one_pose"] = p.at_one_pose ? json(*p.at_one_pose) : json();
  return j;
}

json float_steps_json(const FloatSteps& steps, const PartingBounds& bounds) {
  return {{"step_m", steps.step_m},     {"guesses", steps.of},
          {"parted", steps.parted},     {"as_early", steps.as_early},
          {"same_way", steps.same_way}, {"first", steps.first ? parting_json(*steps.first, bounds) : json()}};
}

json side_json(const AlignResult& result) {
  return {{"iterations", result.iterations}, {"stop", to_string(result.stop)}};
}

struct Counts {
  std::size_t parted = 0, itself = 0, as_early = 0, alike = 0;
  std::map<Quantity, int> in;
};

Counts counts_of(std::span<const NamedDiff> diffs) {
  Counts counts;
  for (const NamedDiff& named : diffs) {
    if (!named.diff.parting) continue;
    ++counts.parted;
    ++counts.in[named.diff.parting->quantity];
    counts.itself += named.diff.float_steps->parted > 0 ? 1 : 0;
    counts.as_early += named.diff.float_steps->as_early > 0 ? 1 : 0;
    counts.alike += named.diff.float_steps->same_way > 0 ? 1 : 0;
  }
  return counts;
}

}  // namespace

std::string to_text(std::span<const NamedDiff> diffs, const PartingBounds& bounds) {
  std::vector<std::vector<std::string>> rows;
  for (const NamedDiff& named : diffs) rows.push_back(cells(named, bounds));
  const Counts counts = counts_of(diffs);
  std::string text = text_table(std::vector<TextColumn>{{"frame", "", true},
                                                        {"guess", "", true},
                                                        {"A", "iterations", true},
                                                        {"B", "iterations", true},
                                                        {"apart", "mm"},
                                                        {"", "deg"},
                                                        {"part at", "iteration"},
                                                        {"in", "", true},
                                                        {"A", ""},
                                                        {"B", ""},
                                                        {"difference", ""},
                                                        {"at one pose", "", true},
                                                        {"float32 step", "A from itself", true}},
                                rows);
  std::vector<std::string> in;
  for (const auto& [quantity, count] : counts.in)
    in.push_back(fmt::format("{} {}", to_string(quantity), count));
  text += fmt::format("part             {} of {}{}{}\n", counts.parted, diffs.size(), in.empty() ? "" : ": ",
                      fmt::join(in, ", "));
  if (counts.parted == 0) return text;
  return text +
         fmt::format(
             "float32          a step of the guess parts A from itself in {} of them, as early in {}, in "
             "the same iteration and quantity in {}\n",
             counts.itself, counts.as_early, counts.alike);
}

json to_json(std::span<const NamedDiff> diffs, const PartingBounds& bounds) {
  const Counts counts = counts_of(diffs);
  json j;
  for (std::size_t k = 0; k < bounds.size(); ++k)
    j["bounds"][std::string(to_string(static_cast<Quantity>(k)))] = bounds.at(k);
  j["parted"] = counts.parted;
  j["float32_step_parts_a_from_itself"] = counts.itself;
  j["float32_step_as_early"] = counts.as_early;
  j["float32_step_same_way"] = counts.alike;
  j["alignments"] = json::array();
  for (const auto& [frame, guess, d] : diffs)
    j["alignments"].push_back(
        {{"frame", frame},
         {"guess", guess},
         {"a", side_json(d.a)},
         {"b", side_json(d.b)},
         {"translation_m", d.apart.translation_m},
         {"rotation_deg", d.apart.rotation_deg},
         {"parting", d.parting ? parting_json(*d.parting, bounds) : json()},
         {"float32_steps", d.float_steps ? float_steps_json(*d.float_steps, bounds) : json()}});
  return j;
}

}  // namespace ndt::harness
