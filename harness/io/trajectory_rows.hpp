// What the readers and writers of trajectories have in common.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "base/refusal.hpp"
#include "io/text_words.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {

/// Reads the next line that has words as N finite numbers. False at the end of the file.
template <std::size_t N>
bool read_numbers(TextWords& words, std::array<double, N>& numbers) {
  return words.row(N, [&](std::uint64_t column) {
    numbers[column] = words.number<double>(column);
    if (!std::isfinite(numbers[column]))
      throw words.refused("value " + std::to_string(column + 1) + ": '" + printable(words.word()) + "' is not finite");
  });
}

/// Throws ndt::InputError if a trajectory that has `poses` so far cannot take one more.
void require_room(const TextWords& words, std::uint64_t poses);

/// Throws ndt::InputError if there is no pose.
void require_poses(const ByteSource& source, std::uint64_t poses);

/// Throws std::invalid_argument for no poses, ndt::InputError for more than a reader takes.
void require_writable(const std::filesystem::path& file, const char* function, std::uint64_t poses);

}  // namespace ndt::harness
