// Registers a scan from nine guesses at once and prints where each ended: batch MAP SCAN
#include <cstdio>

#include "ndt/implementations.hpp"
#include "ndt/io/clouds.hpp"

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: batch MAP SCAN\n"), 2;
  const auto aligner = ndt::make_aligner("auto");
  aligner->set_map(ndt::io::read_cloud(words[1]));
  std::vector<ndt::Transform> guesses;
  for (double x : {-0.5, 0.0, 0.5})
    for (double y : {-0.5, 0.0, 0.5}) guesses.push_back(ndt::to_transform({x, y, 0, 0, 0, 0}));
  std::vector<ndt::AlignResult> results(guesses.size());
  aligner->align_batch(ndt::io::read_cloud(words[2]), guesses, results);
  for (const ndt::AlignResult& r : results)
    std::printf("%s x %.3f y %.3f nvtl %.3f\n", ndt::to_string(r.stop).data(), r.map_from_scan(0, 3),
                r.map_from_scan(1, 3), r.nvtl);
}
