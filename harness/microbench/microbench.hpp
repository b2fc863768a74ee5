// The benchmarks of ndt-microbench: the parts of a registration, each alone, for every row of the table.
#pragma once

#include <span>

#include "registry/registry.hpp"

namespace ndt::harness {

/// Registers with Google Benchmark, for every row:
///   build/<row>/<map points>       set_map
///   evaluate/<row>/<scan points>   evaluate
///   score/<row>/<scan points>x64   score_batch; only rows that are a BatchAligner or cannot run here
///   align/<row>/<scan points>      align to convergence
/// and, for no row, propose/100x<at once>: the proposals of an initial-pose search, in rounds.
/// Those of a row that cannot run here are skipped with its reason. `failed` counts the others that end without a number,
/// and must outlive the run.
void register_microbenchmarks(std::span<const AlignerEntry> rows, const AlignOptions& options, int& failed);

}  // namespace ndt::harness
