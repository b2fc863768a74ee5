#include "ndt/io/map_metadata.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/text.hpp"

#if NDT_HAVE_YAML
#include <yaml-cpp/yaml.h>
#endif

namespace ndt::io {
namespace {

namespace fs = std::filesystem;

#if NDT_HAVE_YAML

constexpr double kLeastResolutionM = 0.1, kMostResolutionM = 1e6;
constexpr std::string_view kForm =
    "it must have x_resolution and y_resolution in metres, and for each tile a line 'FILE: [X, Y]' with its "
    "lower-left corner";

class MetadataReader {
 public:
  explicit MetadataReader(const fs::path& file) : name_(printable_name(file.native())) {
    const std::string text = whole_text(file, Limits::kMetadataBytes, "cut the map into larger tiles");
    YAML::Node root;
    try {
      root = YAML::Load(text);
    } catch (const YAML::Exception& error) {
      refuse(line_of(error.mark), formatted("is not YAML: {}", printable(error.msg, 200)), kForm);
    }
    if (!root.IsMap()) refuse(0, "has no names with values", kForm);
    for (const auto& entry : root) take(entry.first, entry.second);
  }

  MapMetadata take_all() {
    require_resolution(metadata_.x_resolution_m, "x_resolution");
    require_resolution(metadata_.y_resolution_m, "y_resolution");
    if (metadata_.tiles.empty()) refuse(0, "names no tile", kForm);
    if (metadata_.tiles.size() > kTilesMost)
      refuse(0, formatted("names {} tiles, the limit is {}", metadata_.tiles.size(), kTilesMost),
             "cut the map into larger tiles");
    refuse_names_twice();
    std::ranges::sort(metadata_.tiles,
                      [](const auto& a, const auto& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    refuse_overlaps();
    return std::move(metadata_);
  }

 private:
  static std::size_t line_of(const YAML::Mark& mark) {
    return mark.is_null() ? 0 : static_cast<std::size_t>(mark.line) + 1;
  }

  [[noreturn]] void refuse(std::size_t line, std::string_view what, std::string_view advice) const {
    throw refusal(name_, line == 0 ? "" : formatted("line {}", line), what, advice);
  }

  /// Text as in the file; no text for what is none.
  static std::string text_of(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : ""; }

  double number(const YAML::Node& node, std::string_view key) const {
    const Real<double> value = parse_real<double>(text_of(node));
    if (value.fault != RealFault::none || !(std::abs(value.value) <= Limits::kOriginM))
      refuse(line_of(node.Mark()),
             formatted("{}: '{}' is no number of metres up to {}", printable(key), printable(text_of(node)),
                       Limits::kOriginM),
             "give metres, with a point for decimals");
    return value.value;
  }

  void take(const YAML::Node& key, const YAML::Node& value) {
    const std::string name = text_of(key);
    if (name == "x_resolution") return take_resolution(name, value, metadata_.x_resolution_m);
    if (name == "y_resolution") return take_resolution(name, value, metadata_.y_resolution_m);
    const std::size_t line = line_of(key.Mark());
    if (name.empty() || !value.IsSequence() || value.size() != 2)
      refuse(line, formatted("'{}' has no corner", printable(name)),
             "a tile is 'FILE: [X, Y]' with its lower-left corner in metres");
    metadata_.tiles.push_back({name, number(value[0], name), number(value[1], name), line});
  }

  void take_resolution(const std::string& key, const YAML::Node& value, double& resolution_m) const {
    if (resolution_m != 0)
      refuse(line_of(value.Mark()), formatted("{} comes twice", key), "keep one of them");
    resolution_m = number(value, key);
    if (!(resolution_m >= kLeastResolutionM && resolution_m <= kMostResolutionM))
      refuse(
          line_of(value.Mark()),
          formatted("{} = {}: must be in [{}, {}]", key, resolution_m, kLeastResolutionM, kMostResolutionM),
          "give the edge of a tile in metres");
  }

  void require_resolution(double resolution_m, std::string_view key) const {
    if (resolution_m == 0) refuse(0, formatted("{} is missing", key), kForm);
  }

  void refuse_names_twice() const {
    std::vector<const TileEntry*> by_name;
    for (const TileEntry& tile : metadata_.tiles) by_name.push_back(&tile);
    std::ranges::sort(by_name, {}, [](const TileEntry* tile) { return std::pair(tile->file, tile->line); });
    for (std::size_t k = 1; k < by_name.size(); ++k)
      if (by_name[k]->file == by_name[k - 1]->file)
        refuse(
            by_name[k]->line,
            formatted("'{}' was named in line {} already", printable(by_name[k]->file), by_name[k - 1]->line),
            "a file is one tile: keep one of the two lines");
  }

  /// The tiles are sorted by x, then y. Only tiles that begin less than a width after another can overlap it,
  /// and in its own column only the next.
  void refuse_overlaps() const {
    const auto& tiles = metadata_.tiles;
    const double width_m = metadata_.x_resolution_m - kTileSlackM,
                 height_m = metadata_.y_resolution_m - kTileSlackM;
    for (auto a = tiles.begin(), column = a; a != tiles.end(); ++a) {
      while (column != tiles.end() && column->x == a->x) ++column;  // the next one
      for (auto b = a + 1 == column ? column : a + 1; b != tiles.end() && b->x < a->x + width_m;
           b = b < column ? column : b + 1)
        if (std::abs(b->y - a->y) < height_m)
          refuse(b->line,
                 formatted("'{}' at ({}, {}) overlaps '{}' of line {} at ({}, {}): tiles are {} by {} m",
                           printable(b->file), b->x, b->y, printable(a->file), a->line, a->x, a->y,
                           metadata_.x_resolution_m, metadata_.y_resolution_m),
                 "correct the corners or the resolution, or cut the map anew with ndt-bench map cut");
    }
  }

  std::string name_;
  MapMetadata metadata_;
};

#endif

}  // namespace

bool map_metadata_readable() { return NDT_HAVE_YAML != 0; }

bool is_map_metadata(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".yaml" || extension == ".yml";
}

bool looks_like_map_metadata(const fs::path& file) try {
  const std::string text = whole_text(file, Limits::kMetadataBytes, "");
  return text.starts_with("x_resolution:") || text.find("\nx_resolution:") != std::string::npos;
} catch (const InputError&) {
  return false;
}

MapMetadata read_map_metadata(const fs::path& file) {
#if NDT_HAVE_YAML
  return MetadataReader(file).take_all();
#else
  throw refusal(
      printable_name(file.native()), "", "cannot be read: this build is without yaml-cpp",
      "install it (Debian: libyaml-cpp-dev) and build again, or move the metadata out of the folder "
      "of the tiles, which is then read whole");
#endif
}

std::string map_metadata_text(const MapMetadata& metadata) {
  std::string text =
      formatted("x_resolution: {}\ny_resolution: {}", metadata.x_resolution_m, metadata.y_resolution_m);
  for (const TileEntry& tile : metadata.tiles) text += formatted("\n{}: [{}, {}]", tile.file, tile.x, tile.y);
  return text;
}

}  // namespace ndt::io
