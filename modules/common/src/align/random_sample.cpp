#include "random_sample.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace ndt {
namespace {

/// The keys of a part, by their bins and later by the bin that the sample ends in.
struct PartKeys {
  std::array<std::uint32_t, 1U << kKeyBinBits> bins{};
  std::size_t below = 0;              ///< keys in lower bins
  std::vector<std::uint64_t> inside;  ///< those in the bin
};

}  // namespace

RandomSample::RandomSample(std::span<const Part> parts, std::size_t count, std::uint64_t seed,
                           const Workers& workers)
    : keys_(seed), all_(parts.back().end <= count) {
  before_.assign(parts.size() + 1, 0);
  if (all_)
    for (std::size_t p = 0; p < parts.size(); ++p) before_[p + 1] = parts[p].end;
  else
    draw(parts, count, workers);
}

void RandomSample::draw(std::span<const Part> parts, std::size_t count, const Workers& workers) {
  std::vector<PartKeys> of_parts(parts.size());
  workers.each(parts.size(), [&](std::size_t p) {
    for (std::size_t k = parts[p].begin; k < parts[p].end; ++k) ++of_parts[p].bins[key_bin(keys_(k))];
  });
  auto bins = of_parts[0].bins;
  for (std::size_t p = 1; p < parts.size(); ++p)
    std::ranges::transform(bins, of_parts[p].bins, bins.begin(), std::plus());
  unsigned bin = 0;
  for (; bins[bin] < count; ++bin) count -= bins[bin];
  workers.each(parts.size(), [&](std::size_t p) {
    PartKeys& own = of_parts[p];
    own.below = std::accumulate(own.bins.begin(), own.bins.begin() + bin, std::size_t{0});
    for (std::size_t k = parts[p].begin; k < parts[p].end; ++k)
      if (const std::uint64_t key = keys_(k); key_bin(key) == bin) own.inside.push_back(key);
  });
  std::vector<std::uint64_t> inside;
  for (const PartKeys& own : of_parts) inside.insert(inside.end(), own.inside.begin(), own.inside.end());
  const auto last = inside.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::ranges::nth_element(inside, last);
  last_ = *last;
  for (std::size_t p = 0; p < parts.size(); ++p)
    before_[p + 1] = before_[p] + of_parts[p].below +
                     static_cast<std::size_t>(std::ranges::count_if(
                         of_parts[p].inside, [&](std::uint64_t key) { return key <= last_; }));
}

}  // namespace ndt
