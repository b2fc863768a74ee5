#include "ndt/align/implementation.hpp"

#include <algorithm>
#include <stdexcept>

#include "ndt/core/printable.hpp"

namespace ndt {

const Implementation* fastest(std::span<const Implementation> table) {
  const Implementation* best = nullptr;
  for (const Implementation& entry : table)
    if (entry.auto_rank > (best == nullptr ? 0 : best->auto_rank) && entry.unavailable_reason().empty())
      best = &entry;
  return best;
}

std::unique_ptr<Aligner> make_aligner(std::span<const Implementation> table, std::string_view name,
                                      const AlignOptions& options) {
  const auto found = std::ranges::find(table, name, &Implementation::name);
  if (found == table.end()) {
    std::string names;
    for (const Implementation& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    throw std::invalid_argument("unknown implementation '" + printable(name) + "': choose from " + names);
  }
  if (const std::string reason = found->unavailable_reason(); !reason.empty())
    throw std::runtime_error(std::string(name) + " cannot run here: " + reason);
  return found->make(options);
}

}  // namespace ndt
