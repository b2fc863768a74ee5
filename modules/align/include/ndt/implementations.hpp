// Every implementation of this library in one table, and an aligner by its name.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ndt/align/implementation.hpp"

namespace ndt {

/// In report order, the oracle first; also those that cannot run on this machine, which say why.
std::span<const Implementation> implementations();

/// An aligner of the implementation called `name`; of the fastest that can run here for "auto". Throws
/// std::invalid_argument for an unknown name, listing the names, and for options out of range;
/// std::runtime_error with the reason if the implementation cannot run here.
std::unique_ptr<Aligner> make_aligner(std::string_view name, const AlignOptions& options = {});

}  // namespace ndt
