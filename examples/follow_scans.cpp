// Follows a vehicle through a map, one scan every 0.1 s: follow_scans MAP SCAN...
#include <cstdio>

#include "ndt/implementations.hpp"
#include "ndt/io/clouds.hpp"
#include "ndt/localization/localizer.hpp"

int main(int count, char** words) {
  if (count < 3) return std::fprintf(stderr, "usage: follow_scans MAP SCAN...\n"), 2;
  const ndt::AlignOptions alignments;
  const auto aligner = ndt::make_aligner("auto", alignments);
  const ndt::PointCloud map = ndt::io::read_cloud(words[1]);
  aligner->set_map(map);
  ndt::localization::LocalizerOptions options;
  const auto own = ndt::initial_pose::own_scores(*aligner, map);
  take_bounds(options, ndt::initial_pose::reliable_bounds(own, alignments));  // without them no pose is ok
  ndt::localization::Localizer localizer(*aligner, options);
  localizer.start_at(ndt::Transform());
  for (int k = 2; k < count; ++k) {
    const ndt::localization::ScanReport report =
        localizer.localize(0.1 * (k - 2), ndt::io::read_cloud(words[k]));
    const ndt::Transform& t = report.map_from_scan;
    std::printf("%s at x %.3f y %.3f z %.3f\n", ndt::localization::to_string(report.verdict).data(), t(0, 3),
                t(1, 3), t(2, 3));
    for (const std::string& message : report.diagnosis.messages) std::printf("  %s\n", message.c_str());
  }
}
