// Compares with a file what must be equal on every CPU. The sums of a scan agree bit by bit, with each set of
// kernels that this CPU can run. An alignment agrees to a micrometre: its angles use the C library's sines.
// This program has no test framework, so that it is cross-compiled with the library alone.
//   same_bits         prints what the file has
//   same_bits FILE    compares; exit 1 names the first line that differs
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "ndt/core/simd.hpp"
#include "ndt/gpu_persistent/implementations.hpp"
#include "ndt/score/point_kernels.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace {

using namespace ndt;

template <class... T>
void append(std::string& text, const char* format, const T&... values) {
  char line[128];
  std::snprintf(line, sizeof line, format, values...);
  text += line;
}

/// A floor and two walls, a point every `spacing` metres, none of them plane.
PointCloud corner(float spacing) {
  PointCloud cloud;
  for (float a = 0; a < 20; a += spacing)
    for (float b = 0; b < 20; b += spacing) {
      const float bump = 0.02F * static_cast<float>(cloud.size() % 7);
      cloud.points.push_back({a, b, bump});
      if (b < 6) cloud.points.push_back({a, bump, b});
      if (b < 6) cloud.points.push_back({bump, a, b});
    }
  return cloud;
}

void append_sums(const PointKernels& kernels, std::string& text) {
  const VoxelMap map(corner(0.25F), {});
  const PointCloud scan = corner(0.7F);
  const Motion motion{{{0.9995F, -0.03F, 0.01F, 0.03F, 0.9995F, 0, -0.01F, 0, 1}},
                      {0.2F, -0.1F, 0.1F},
                      {{0.9995F, -0.03F, 0.01F, 0.03F, 0.9995F, 0, -0.01F, 0, 1}}};
  DerivativeSums<double> total;
  for (std::size_t i = 0; i + kPointsTogether <= scan.size(); i += kPointsTogether) {
    DerivativeSums<FloatLanes> sums;
    kernels.add(map.view(), {-1.5F, 0.6F}, motion, scan.points.data() + i, kPointsTogether, sums);
    add_folded(total, sums);
  }
  append(text, "%lld pairs, %lld points\n", static_cast<long long>(total.pairs),
         static_cast<long long>(total.points));
  double columns[kDerivativeSums];
  to_array(total, columns);
  for (const double column : columns) append(text, "%a\n", column);
}

void append_alignment(std::string& text) {
  const auto aligner = make_aligner(gpu_persistent::implementations(), "persistent_cpu");
  aligner->set_map(corner(0.25F));
  const AlignResult result = aligner->align(corner(0.7F), to_transform({0.2, -0.1, 0.1, 0, 0, 0.05}));
  append(text, "%s after %d iterations\n", to_string(result.stop).data(), result.iterations);
  for (const double entry : result.map_from_scan.m) append(text, "%.6f\n", entry);
}

std::string text_of(const PointKernels& kernels) {
  std::string text;
  use_point_kernels(kernels);
  append_sums(kernels, text);
  append_alignment(text);
  return text;
}

/// Whether the texts are equal; says where they are not.
bool same(const char* name, const std::string& expected, const std::string& got) {
  std::istringstream lines(expected), more(got);
  std::string line, other;
  for (int number = 1; std::getline(lines, line); ++number)
    if (!std::getline(more, other) || line != other) {
      std::printf("%s: line %d is '%s', not '%s'\n", name, number, other.c_str(), line.c_str());
      return false;
    }
  std::printf("%s: %s\n", name, expected == got ? "the same" : "more lines than expected");
  return expected == got;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs(text_of(point_kernels()).c_str(), stdout);
    return 0;
  }
  std::ifstream file(argv[1]);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  bool all = !expected.empty();
  if (!all) std::printf("%s is missing or empty\n", argv[1]);
  for (const PointKernels* kernels : usable_point_kernels())
    all &= same(kernels->instructions, expected, text_of(*kernels));
  return all ? 0 : 1;
}
