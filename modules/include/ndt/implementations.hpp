// Every implementation of this library in one table, and an aligner by its name.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ndt/align/implementation.hpp"

namespace ndt {

/// In report order, the oracle first; also those that cannot run on this machine, which say why.
std::span<const Implementation> implementations();

/// The implementation that "auto" stands for: the one with the largest auto_rank that can run here. Throws
/// std::runtime_error if none can run.
const Implementation& auto_implementation();

/// An aligner of the implementation called `name`; for "auto" of auto_implementation(). Throws
/// std::invalid_argument for an unknown name, listing the names, and for options out of range;
/// std::runtime_error with the reason if the implementation cannot run here.
std::unique_ptr<Aligner> make_aligner(std::string_view name, const AlignOptions& options = {});

}  // namespace ndt
