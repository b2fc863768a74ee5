// Scores of a batch of poses.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "ndt/align/aligner.hpp"

namespace ndt::python {

struct Scores {
  std::vector<Score> all;

  template <class T>
  nb::ndarray<nb::numpy, T> column(T Score::*member) const {
    std::vector<T> numbers;
    for (const Score& score : all) numbers.push_back(score.*member);
    return new_array(numbers.data(), {numbers.size()});
  }
};

}  // namespace ndt::python
