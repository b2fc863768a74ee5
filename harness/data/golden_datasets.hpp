// Real clouds of the folder NDT_GOLDEN_DIR: alignments.json names map, scan and guesses of each case.
#pragma once

#include "data/dataset.hpp"

namespace ndt::harness {

/// One per case; a single unavailable one with the reason if there is no folder or it cannot be used.
std::vector<DatasetInfo> list_golden_datasets();

/// `name` must be one of the available.
Dataset load_golden_dataset(std::string_view name);

}  // namespace ndt::harness
