#include "io/trajectory_rows.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "io/cloud_output.hpp"

namespace ndt::harness {

void require_room(const TextWords& words, std::uint64_t poses) {
  if (poses == Limits::kPoses)
    throw words.refused(fmt::format("more than the limit of {} poses", Limits::kPoses),
                        "split the trajectory into smaller files");
}

void require_poses(const ByteSource& source, std::uint64_t poses) {
  if (poses == 0) throw refusal(source.name(), "", "holds no pose", "export the trajectory again");
}

void require_writable(const std::filesystem::path& file, const char* function, std::uint64_t poses) {
  if (poses == 0) throw std::invalid_argument(fmt::format("{}: no poses to write", function));
  require_readable_count(file, "poses", poses, Limits::kPoses);
}

}  // namespace ndt::harness
