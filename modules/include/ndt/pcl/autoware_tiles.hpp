// Tiles by name, with the aligner and the voxels that objects of autoware.hpp share with their copies.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "ndt/core/error.hpp"
#include "ndt/implementations.hpp"

namespace ndt::autoware::detail {

using MapInUse = std::shared_ptr<const ReadyMap>;

struct Tile {
  TileId id;  // another for every cloud, so that a tile that is given again is another tile
  TileCloud points;
};
using Tiles = std::map<std::string, Tile>;

inline TileId next_tile() {
  static std::atomic<TileId> last{0};
  return ++last;
}

/// An aligner and the tiles' voxels, shared by an object and its copies. Alignments take turns, and so do
/// changes of tiles; the two go on beside each other.
class Workshop {
 public:
  Workshop(const std::string& implementation, const AlignOptions& options)
      : aligner_(make_aligner(implementation, options)), voxels_(aligner_->resident_map()) {
    if (!voxels_)
      throw std::invalid_argument("implementation '" + implementation +
                                  "' keeps no map in tiles: choose auto, multikernel_* or persistent_*");
  }

  /// Holds these tiles and no others. Null if no voxel has enough points.
  MapInUse build(const Tiles& tiles) {
    const MapInUse freed_here = retired();  // not beside an alignment that waits for it
    const std::lock_guard turn(changing_);
    std::map<TileId, const Tile*> wanted;
    for (const auto& [name, tile] : tiles) wanted[tile.id] = &tile;
    for (const TileId held : voxels_->ids())
      if (wanted.erase(held) == 0) voxels_->remove(held);
    for (const auto& [id, tile] : wanted) voxels_->add(id, tile->points);
    try {
      return voxels_->build();
    } catch (const InputError&) {
      return nullptr;
    }
  }

  /// Returns use(aligner) while the aligner has this map.
  template <class Use>
  auto with(const MapInUse& map, Use use) {
    const std::lock_guard turn(aligning_);
    if (map != in_use_) {
      retired_ = aligner_->exchange_map(map);
      in_use_ = map;
    }
    return use(*aligner_);
  }

 private:
  MapInUse retired() {
    const std::lock_guard turn(aligning_);
    return std::move(retired_);
  }

  std::mutex aligning_, changing_;
  std::unique_ptr<Aligner> aligner_;
  std::unique_ptr<ResidentMap> voxels_;
  MapInUse in_use_, retired_;
};

}  // namespace ndt::autoware::detail
