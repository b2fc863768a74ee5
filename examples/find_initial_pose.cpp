// Searches for a scan's pose about 2 m around the origin, with any heading: find_initial_pose MAP SCAN
#include <cstdio>

#include "ndt/implementations.hpp"
#include "ndt/initial_pose/search.hpp"
#include "ndt/io/clouds.hpp"

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: find_initial_pose MAP SCAN\n"), 2;
  const ndt::AlignOptions alignments = ndt::AlignOptions::of_a_search(ndt::Profile::pyramid);
  const auto aligner = ndt::make_aligner("auto", alignments);
  const ndt::PointCloud map = ndt::io::read_cloud(words[1]);
  aligner->set_map(map);
  ndt::initial_pose::SearchOptions options;
  const auto bounds =
      ndt::initial_pose::reliable_bounds(ndt::initial_pose::own_scores(*aligner, map), alignments);
  options.reliable_nvtl = bounds.nvtl, options.reliable_matched = bounds.matched;
  const ndt::initial_pose::PosePrior prior{{}, {2, 2, 0.1, 0.01, 0.01}};
  const ndt::initial_pose::SightLines sight_lines(map);  // for the verdict
  const auto found =
      ndt::initial_pose::search(*aligner, ndt::io::read_cloud(words[2]), prior,
                                ndt::initial_pose::default_strategy(), options, {}, {}, &sight_lines);
  const ndt::Transform& t = found.best_particle().result.map_from_scan;
  std::printf("%s at x %.3f y %.3f z %.3f\n", ndt::initial_pose::to_string(found.judgement.verdict).data(),
              t(0, 3), t(1, 3), t(2, 3));
}
