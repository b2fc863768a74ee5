// LZF, the compression inside PCD binary_compressed. The only file that depends on whether liblzf was found
// at build time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ndt::io {

/// False in a build without liblzf; the functions below then throw std::logic_error.
bool lzf_available();

/// Returns the most bytes that this many packed bytes can unpack to: the longest reference has 3 bytes and
/// copies 264.
constexpr std::uint64_t lzf_most_unpacked(std::uint64_t packed_bytes) { return packed_bytes * 88; }

/// False if `packed` is damaged or does not unpack to exactly unpacked.size() bytes. Sizes below 4 GiB.
bool lzf_unpack(std::span<const std::byte> packed, std::span<std::byte> unpacked);

/// Always succeeds; incompressible data grows by 1/32.
std::vector<std::byte> lzf_pack(std::span<const std::byte> unpacked);

}  // namespace ndt::io
