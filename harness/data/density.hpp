// The density of a dataset's scans: thinned to leaves, drawn at random, or raw. NAME@DENSITY is the dataset
// NAME with scans of another density: kitti00@0.25m, kitti00@5000 or kitti00@raw.
#pragma once

#include <string>
#include <string_view>

#include "data/dataset.hpp"

namespace ndt::harness {

/// Returns the label of a dataset's scans: "0.25 m", "5,000 random" or "raw". Scans that are made in memory
/// are "as made", and a description may have words of its own for its files.
std::string density_of(const Dataset& dataset);

/// A dataset's name in two parts. The density is empty unless the name ends with @ and a density.
struct NameAndDensity {
  std::string_view dataset, density;
};
NameAndDensity name_and_density(std::string_view name);

/// True for a leaf such as 0.25m, a number of points such as 5000, and raw.
bool is_density(std::string_view density);

/// Returns the label of a density that a name ends with: "0.25 m" of 0.25m.
std::string label_of(std::string_view density);

/// Replaces the thinning of a dataset's scans, and keeps its other filters. Throws InputError if its first
/// scan has too few points for that: the label would be wrong.
Dataset at_density(Dataset dataset, std::string_view density);

}  // namespace ndt::harness
