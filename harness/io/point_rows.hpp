// Points in text, one a line. T is float if x, y and z are all float32, else double.
#pragma once

#include <vector>

#include "io/point_layout.hpp"
#include "io/text_words.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt::harness {

enum class AfterLastPoint { end_of_file, other_rows };

/// Reads layout.points rows; blank lines are skipped. Throws ndt::InputError, also for further rows where the file has to
/// end; memory is taken only after the declared rows were found to fit into the file.
template <class T>
std::vector<Vec3<T>> read_point_rows(TextWords& words, const PointLayout& layout, AfterLastPoint after);

}  // namespace ndt::harness
