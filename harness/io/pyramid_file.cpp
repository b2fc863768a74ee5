#include "io/pyramid_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "base/errors.hpp"
#include "base/word_hash.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using initial_pose::PlacePyramid;
using initial_pose::PooledGrid;

/// Increase when the header or the cells of a map become others.
constexpr std::uint32_t kVersion = 1;
constexpr char kMagic[8] = {'N', 'D', 'T', 'P', 'L', 'A', 'C', 'E'};

struct Header {
  char magic[8] = {};
  std::uint32_t version = kVersion;
  std::uint32_t unused = 0;
  std::uint64_t checksum = 0;  ///< of the file, with 0 here
  PyramidSource source;
  double cell_m = 0, corner_m[3] = {};
  std::int32_t size[4] = {};  ///< the last is 0
};
static_assert(sizeof(Header) == 8 + 2 * 4 + 8 + sizeof(PyramidSource) + 4 * 8 + 4 * 4, "no padding");

InputError refused(const std::string& name, std::string_view what) {
  return refusal(name, "", what, "remove it if the message comes again");
}

Header header_of(const PlacePyramid& pyramid, const PyramidSource& source) {
  const PlacePyramid::Frame frame = pyramid.frame();
  Header header;
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.source = source;
  header.cell_m = frame.cell_m;
  header.corner_m[0] = frame.corner.x, header.corner_m[1] = frame.corner.y;
  header.corner_m[2] = frame.corner.z;
  std::copy_n(frame.size, 3, header.size);
  return header;
}

PlacePyramid::Frame frame_of(const Header& header) {
  PlacePyramid::Frame frame{header.cell_m, {header.corner_m[0], header.corner_m[1], header.corner_m[2]}, {}};
  std::copy_n(header.size, 3, frame.size);
  return frame;
}

WordHash hash_of(Header header) {
  header.checksum = 0;
  WordHash hash;
  hash.add_value(header);
  return hash;
}

template <class F>
void for_each_level(const PlacePyramid& pyramid, F&& f) {
  for (const PooledGrid* grid : {&pyramid.values(), &pyramid.footing()})
    for (int k = 0; k <= pyramid.levels(); ++k) f(std::as_bytes(std::span(grid->level(k).values)));
}

bool are_same(const PyramidSource& a, const PyramidSource& b) {
  return a.map == b.map && a.points == b.points && a.cell_m == b.cell_m && std::equal(a.up, a.up + 3, b.up);
}

Header header_in(io::ByteSource& in) {
  if (in.size() < sizeof(Header)) throw refused(in.name(), fmt::format("has {} bytes, too few", in.size()));
  Header header;
  in.read(std::as_writable_bytes(std::span(&header, 1)));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) throw refused(in.name(), "is no place pyramid");
  if (header.version != kVersion)
    throw refused(in.name(), fmt::format("has version {}, not {}", header.version, kVersion));
  return header;
}

}  // namespace

PyramidSource pyramid_source(const PointCloud& map, double cell_m, const Vec3<double>& up) {
  WordHash hash;
  hash.add_value(map.origin);
  hash.add(std::as_bytes(std::span(map.points)));
  return {hash.value(), map.size(), cell_m, {up.x, up.y, up.z}};
}

std::string pyramid_file_name(const PyramidSource& source) {
  WordHash hash;
  hash.add_value(source);
  return fmt::format("{:016x}.pyramid", hash.value());
}

void write_pyramid(const fs::path& file, const PlacePyramid& pyramid, const PyramidSource& source) {
  Header header = header_of(pyramid, source);
  WordHash hash = hash_of(header);
  for_each_level(pyramid, [&](std::span<const std::byte> cells) { hash.add(cells); });
  header.checksum = hash.value();
  const fs::path part = file.string() + fmt::format(".part.{}", ::getpid());
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  try {
    io::NewFile out(part, "make room on the disk, or set NDT_CACHE to another folder");
    out.append(text(std::as_bytes(std::span(&header, 1))));
    for_each_level(pyramid, [&](std::span<const std::byte> cells) { out.append(text(cells)); });
    out.rename_to(file);
  } catch (const InputError&) {
    io::remove_old(part);
    throw;
  }
}

PlacePyramid read_pyramid(const fs::path& file, const PyramidSource& source) {
  io::ByteSource in(file);
  const Header header = header_in(in);
  if (!are_same(header.source, source)) throw refused(in.name(), "was made for another map or other cells");
  const PlacePyramid::Frame frame = frame_of(header);
  const std::optional<std::uint64_t> bytes = PlacePyramid::bytes_of(frame);
  if (!bytes || in.remaining() != *bytes)
    throw refused(in.name(),
                  fmt::format("has {} bytes of cells, which do not fit its header", in.remaining()));
  WordHash hash = hash_of(header);
  PlacePyramid pyramid(frame, {source.up[0], source.up[1], source.up[2]}, [&](std::span<std::uint8_t> cells) {
    in.read(std::as_writable_bytes(cells));
    hash.add(std::as_bytes(cells));
  });
  if (hash.value() != header.checksum) throw refused(in.name(), "is damaged: its checksum differs");
  return pyramid;
}

}  // namespace ndt::harness
