
#include <charconv>
#include <limits>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/printable.hpp"

namespace ndt {

std::string to_string(const Levels& levels) {
  std::string text;
  for (const double level : levels) text += formatted("{}{}", text.empty() ? "" : ",", level);
  return text;
}

Levels levels_from_text(std::string_view text) {
  std::vector<double> edges;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    const auto [next, error] = std::from_chars(at, end, edges.emplace_back());
    if (error != std::errc() || (next != end && *next != ','))
      throw std::invalid_argument(formatted(
          "levels '{}': expected numbers with commas between them, such as 2.5,1", printable(text)));
    if (next == end) return Levels(edges);
    at = next + 1;
  }
}

void require_within(std::string_view name, const Levels& levels, const Bounds& bounds) {
  double before = std::numeric_limits<double>::infinity();
  for (const double level : levels) {
    if (!bounds.hold(level)) refuse_option(name, to_string(levels), interval(bounds) + ", every level");
    if (!(level < before))
      throw std::invalid_argument(
          formatted("option {} = {}: must fall from coarse to fine", name, to_string(levels)));
    before = level;
  }
}

}  // namespace ndt
