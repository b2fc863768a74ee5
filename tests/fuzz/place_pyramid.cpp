// Any bytes as a kept place pyramid: as they are, and with the source and the checksum that it is asked for.
// An accepted file gives its own cells.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/word_hash.hpp"
#include "fuzzing.hpp"
#include "io/pyramid_file.hpp"

namespace {

using namespace ndt;

constexpr harness::PyramidSource kSource{1, 2, 0.5, {0, 0, 1}};
constexpr std::size_t kChecksumAt = 16, kSourceAt = 24, kCellsAt = 120;

/// Bytes with the source and the checksum of an acceptable file.
std::vector<std::byte> mended(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), data, size);
  std::memcpy(bytes.data() + kSourceAt, &kSource, sizeof(kSource));
  std::memset(bytes.data() + kChecksumAt, 0, sizeof(std::uint64_t));
  harness::WordHash hash;
  hash.add(bytes);
  const std::uint64_t checksum = hash.value();
  std::memcpy(bytes.data() + kChecksumAt, &checksum, sizeof(checksum));
  return bytes;
}

void require_same_cells(const initial_pose::PlacePyramid& pyramid, std::span<const std::byte> cells) {
  for (const auto* grid : {&pyramid.values(), &pyramid.footing()})
    for (int k = 0; k <= pyramid.levels(); ++k) {
      const auto level = std::as_bytes(std::span(grid->level(k).values));
      fuzz::require(level.size() <= cells.size() && std::ranges::equal(level, cells.first(level.size())),
                    "cells are lost");
      cells = cells.subspan(level.size());
    }
  fuzz::require(cells.empty(), "bytes are left behind the cells");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  fuzz::read_file_or_refuse([&] { return harness::read_pyramid(file.with(data, size), kSource); });
  if (size < kCellsAt) return 0;
  const std::vector<std::byte> bytes = mended(data, size);
  const auto& path = file.with(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const auto pyramid = fuzz::read_file_or_refuse([&] { return harness::read_pyramid(path, kSource); });
  if (pyramid) require_same_cells(*pyramid, std::span(bytes).subspan(kCellsAt));
  return 0;
}
