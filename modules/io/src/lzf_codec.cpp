#include "lzf_codec.hpp"

#include <stdexcept>

#if NDT_HAVE_LZF
#include <lzf.h>
#endif

namespace ndt::io {

#if NDT_HAVE_LZF

bool lzf_available() { return true; }

bool lzf_unpack(std::span<const std::byte> packed, std::span<std::byte> unpacked) {
  if (packed.empty() || unpacked.empty()) return packed.size() == unpacked.size();
  const unsigned got = lzf_decompress(packed.data(), static_cast<unsigned>(packed.size()), unpacked.data(),
                                      static_cast<unsigned>(unpacked.size()));
  return got == unpacked.size();
}

std::vector<std::byte> lzf_pack(std::span<const std::byte> unpacked) {
  if (unpacked.empty()) return {};
  // Literal runs cost one byte in 32; twice that leaves the compressor room to try.
  std::vector<std::byte> packed(unpacked.size() + unpacked.size() / 16 + 64);
  const unsigned size = lzf_compress(unpacked.data(), static_cast<unsigned>(unpacked.size()), packed.data(),
                                     static_cast<unsigned>(packed.size()));
  if (size == 0) throw std::logic_error("lzf_pack: the bound on incompressible data is wrong");
  packed.resize(size);
  return packed;
}

#else

bool lzf_available() { return false; }

bool lzf_unpack(std::span<const std::byte>, std::span<std::byte>) {
  throw std::logic_error("lzf_unpack: built without liblzf");
}

std::vector<std::byte> lzf_pack(std::span<const std::byte>) {
  throw std::logic_error("lzf_pack: built without liblzf");
}

#endif

}  // namespace ndt::io
