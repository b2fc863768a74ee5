// The load that calls put on the machine: cores, the GPU, and energy.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/nvml.hpp"
#include "ndt/align/implementation.hpp"
#include "run/measurement.hpp"

namespace ndt::harness {

class LoadMeter {
 public:
  /// Takes a second and a half if there are cards, and measures their idle power.
  LoadMeter(const Nvml& nvml, std::vector<Nvml::Card> cards);

  /// Repeats `call` back to back for so long, at least once. The GPU's values are nothing if it was never
  /// busy.
  Load measure(double seconds, const std::function<void()>& call) const;

 private:
  const Nvml& nvml_;
  std::vector<Nvml::Card> cards_;
  std::optional<double> idle_w_;
};

/// The cards that an implementation may use: the options' devices. A peer may use the first one, which this
/// process cannot know.
std::vector<Nvml::Card> cards_of(const Implementation& entry, const AlignOptions& options);

}  // namespace ndt::harness
