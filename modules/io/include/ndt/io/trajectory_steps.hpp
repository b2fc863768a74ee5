// Steps that the readers and writers of trajectories share.
#pragma once

#include <cstdint>
#include <filesystem>

#include "ndt/io/byte_source.hpp"
#include "ndt/io/text.hpp"

namespace ndt::io {

/// Returns the word as a number. Throws ndt::InputError if it is not finite.
double finite_number(const TextWords& words, std::uint64_t column);

/// Throws ndt::InputError if a trajectory that has `poses` so far cannot take one more.
void require_room(const TextWords& words, std::uint64_t poses);

/// Throws ndt::InputError for 0 poses.
void require_poses(const ByteSource& source, std::uint64_t poses);

/// Throws std::invalid_argument for no poses, ndt::InputError for more than a reader takes.
void require_writable(const std::filesystem::path& file, const char* function, std::uint64_t poses);

}  // namespace ndt::io
