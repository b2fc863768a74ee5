// The checksums of the town's files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ndt::harness::town {

/// FNV-1a, 64 bits.
inline std::uint64_t checksum(const std::string& bytes, std::uint64_t hash = 0xCBF29CE484222325) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

inline std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Everything in a folder, sorted.
inline std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

struct TownBytes {
  std::uint64_t map = 0, scans = 0, truth = 0, description = 0;

  bool operator==(const TownBytes&) const = default;
};

/// Returns the checksums of a dataset folder, with one for all its scans in order.
inline TownBytes bytes_of(const std::filesystem::path& folder) {
  TownBytes bytes{checksum(content(folder / "map.pcd")), checksum(""),
                  checksum(content(folder / "truth.tum")), checksum(content(folder / "dataset.toml"))};
  for (const auto& scan : entries(folder / "scans")) bytes.scans = checksum(content(scan), bytes.scans);
  return bytes;
}

}  // namespace ndt::harness::town
