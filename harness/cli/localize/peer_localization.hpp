// A peer from outside in a localisation: it gives no scores, so a pose is judged by what it calls converged.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/align/implementation.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "registry/given_options.hpp"

namespace ndt::harness {

using LocalizerArguments = Given<localization::kLocalizerOptions>;

struct GivenFlag {
  std::string_view name;
  bool given = false;
};

/// Throws UsageError for a peer that only searches, and for options that require scores: those of the
/// localizer that do, and the other flags.
void check_peer(const Implementation& peer, const LocalizerArguments& given,
                const std::vector<GivenFlag>& others);

/// The time of the last scan by the peer's own clock, its preparation included. Nothing for an aligner that
/// is no peer.
std::optional<double> own_ms(const Aligner& aligner);

}  // namespace ndt::harness
