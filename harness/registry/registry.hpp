// The table of implementations: order = report order, and one line adds one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ndt/align/aligner.hpp"

namespace ndt::harness {

/// The rule of our own rows.
inline constexpr std::string_view kStepRule =
    "stops when the applied step, metres and radians in one 6-vector, is shorter than epsilon, or at the iteration "
    "limit";

struct AlignerEntry {
  std::string_view name;
  std::string_view runs_on;
  std::string_view schedule;            ///< one line
  std::string (*unavailable_reason)();  ///< why it cannot run on this machine; empty = it can
  std::unique_ptr<Aligner> (*make)(
      const AlignOptions&);    ///< throws std::invalid_argument for options it does not offer
  bool one_thread = false;     ///< whatever AlignOptions::threads says: measured once
  bool peer = false;           ///< another algorithm: measured beside the others, never held to the oracle's numbers
  std::string_view note = {};  ///< what a reader of its results must know; may be empty
  std::string_view stop_rule = kStepRule;  ///< the rule it really applies
};

/// The row that all others are compared with.
inline constexpr std::string_view kReference = "cpu_pclomp_ref";
/// The name that lets the harness choose.
inline constexpr std::string_view kAuto = "auto";

std::span<const AlignerEntry> aligners();

/// Throws UsageError that lists the names.
const AlignerEntry& find_aligner(std::string_view name, std::span<const AlignerEntry> table = aligners());

/// As find_aligner, but takes the fastest available row for "auto" and throws NoDeviceError if the row cannot run here.
const AlignerEntry& choose_aligner(std::string_view name, std::span<const AlignerEntry> table = aligners());

}  // namespace ndt::harness
