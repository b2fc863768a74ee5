// Follows a vehicle through a map in tiles, one scan every 0.1 s: follow_tiles MAP_FOLDER SCAN...
#include <cstdio>

#include "ndt/implementations.hpp"
#include "ndt/io/clouds.hpp"
#include "ndt/localization/following_map.hpp"
#include "ndt/localization/localizer.hpp"

namespace localization = ndt::localization;

int main(int count, char** words) {
  if (count < 3) return std::fprintf(stderr, "usage: follow_tiles MAP_FOLDER SCAN...\n"), 2;
  localization::FollowingMap map(words[1], {}, [] { return ndt::make_aligner("auto"); });
  localization::LocalizerOptions options;
  const auto own = ndt::initial_pose::own_scores(map.aligner(), map.cloud());
  take_bounds(options, ndt::initial_pose::reliable_bounds(own, {}));  // without them no pose is ok
  localization::Localizer localizer(map.aligner(), options);
  localizer.start_at(ndt::Transform());
  for (int k = 2; k < count; ++k) {
    map.before_scan();
    const auto report = localizer.localize(0.1 * (k - 2), ndt::io::read_cloud(words[k]));
    map.after_scan(report.map_from_scan);
    const ndt::Vec3<double> at = ndt::translation_of(report.map_from_scan);
    std::printf("%s at x %.3f y %.3f z %.3f, %zu tiles\n", localization::to_string(report.verdict).data(),
                at.x, at.y, at.z, map.tiles());
  }
}
