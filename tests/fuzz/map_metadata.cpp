// Any bytes as a map's metadata. What is read comes back, if its names need no quotes.
#include "ndt/io/map_metadata.hpp"

#include <algorithm>

#include "base/io_names.hpp"
#include "fuzzing.hpp"

namespace {

using namespace ndt;

/// A name that a cut gives a tile.
bool is_plain(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  return name.starts_with("tile_") && name.ends_with(".pcd") && std::ranges::all_of(name, plain);
}

void require_same(const harness::MapMetadata& a, const harness::MapMetadata& b) {
  fuzz::require(a.x_resolution_m == b.x_resolution_m && a.y_resolution_m == b.y_resolution_m,
                "a resolution does not come back");
  fuzz::require(a.tiles.size() == b.tiles.size(), "a tile is lost");
  for (std::size_t k = 0; k < a.tiles.size(); ++k)
    fuzz::require(
        a.tiles[k].file == b.tiles[k].file && a.tiles[k].x == b.tiles[k].x && a.tiles[k].y == b.tiles[k].y,
        "a tile does not come back");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file, copy;
  const auto metadata =
      fuzz::read_file_or_refuse([&] { return harness::read_map_metadata(file.with(data, size)); });
  if (!metadata) return 0;
  fuzz::require(metadata->x_resolution_m > 0 && metadata->y_resolution_m > 0, "tiles without a size");
  fuzz::require(!metadata->tiles.empty(), "a map without tiles");
  for (const harness::TileEntry& tile : metadata->tiles) {
    fuzz::require(!tile.file.empty() && tile.line > 0, "a tile without a name or a line");
    if (!is_plain(tile.file)) return 0;
  }
  const std::string text = harness::map_metadata_text(*metadata);
  copy.with(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  require_same(*metadata, harness::read_map_metadata(copy.path()));
  return 0;
}
