#include "anywhere/best_places.hpp"

#include <algorithm>

namespace ndt::initial_pose {

void BestPlaces::offer(std::uint64_t neighbourhood, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  int least = least_;
  if (entry.score < least) return;
  const auto [at, is_first] = best_of_.try_emplace(neighbourhood, entry);
  Entry& best = at->second;
  if (!is_first) {
    if (entry.score < best.score || (entry.score == best.score && entry.index > best.index)) return;
    --count_of_[static_cast<std::size_t>(best.score)];
    if (best.score > least) --above_;
    best = entry;
  }
  ++count_of_[static_cast<std::size_t>(entry.score)];
  if (entry.score > least) ++above_;
  most_ = std::max(most_, entry.score);
  while (above_ >= wanted_ || least < most_ * kLeastOfBest / 100)
    above_ -= count_of_[static_cast<std::size_t>(++least)];
  least_ = least;
}

std::vector<BestPlaces::Entry> BestPlaces::best() const {
  std::vector<Entry> entries;
  for (const auto& [neighbourhood, entry] : best_of_)
    if (entry.score >= least()) entries.push_back(entry);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  });
  if (entries.size() > static_cast<std::size_t>(wanted_)) entries.resize(static_cast<std::size_t>(wanted_));
  return entries;
}

}  // namespace ndt::initial_pose
