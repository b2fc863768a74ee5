#include "cli/localize/peer_localization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/errors.hpp"
#include "peers/peer_aligner.hpp"
#include "peers/peers.hpp"

namespace ndt::harness {
namespace {

/// Options of the localizer that require no score.
constexpr std::array<std::string_view, 7> kWithoutScores{
    "prediction", "buffer-age", "buffer-jump", "longest-gap", "required-range", "frozen-after", "lost-after"};

std::string first_with_scores(const LocalizerArguments& given, const std::vector<GivenFlag>& others) {
  std::string first;
  given.for_each([&](const auto& option, const auto& value) {
    const bool needs = std::ranges::find(kWithoutScores, option.name) == kWithoutScores.end();
    if (value && needs && first.empty()) first = fmt::format("--{}", option.name);
  });
  for (const GivenFlag& flag : others)
    if (flag.given && first.empty()) first = flag.name;
  return first;
}

}  // namespace

void check_peer(const Implementation& peer, const LocalizerArguments& given,
                const std::vector<GivenFlag>& others) {
  if (!follows(peer))
    throw UsageError(
        fmt::format("{} only searches for the initial pose; choose another implementation", peer.name));
  if (const std::string flag = first_with_scores(given, others); !flag.empty())
    throw UsageError(
        fmt::format("{} requires scores, which {} does not give; remove it, or choose another implementation",
                    flag, peer.name));
}

std::optional<double> own_ms(const Aligner& aligner) {
  const auto spent = spent_by(aligner);
  if (!spent) return std::nullopt;
  return (spent->scan_us + spent->align_us) / 1000;
}

}  // namespace ndt::harness
