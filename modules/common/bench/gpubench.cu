// ndt-gpubench: times how long the device takes for a voxel map, for one in tiles, and for scores, from data
// that is on the device already; and what a tile takes that is added to a map, from the host. Prints one JSON
// object per measurement to stdout, with every sample, and a table of medians to stderr. maps, tiles or
// scores as its argument: that part alone.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ndt/core/finite_points.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/cuda/device.hpp"
#include "ndt/cuda/graph.cuh"
#include "ndt/score/device_scoring.cuh"
#include "ndt/voxel/device_voxel_map.cuh"

namespace ndt {
namespace {

constexpr int kWarmUp = 5, kMapSamples = 30, kScoreSamples = 200;
constexpr int kScoreMapPoints = 1000000;
constexpr int kVastMapPoints = 100000000;  // made on the device
constexpr double kScanRange_m = 50;

/// Random numbers by splitmix64, the same on every machine.
class Random {
 public:
  NDT_HD explicit Random(std::uint64_t seed) : state_(seed) {}
  /// A number in [0, 1), a multiple of 2^-24.
  NDT_HD double unit() { return static_cast<double>(next() >> 40) * 0x1p-24; }
  NDT_HD double within(double reach) { return reach * (2 * unit() - 1); }

  NDT_HD std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

/// Ground and facades of 10 m along x, sized so that a voxel of 2 m has 75 points. The points have no spatial
/// order.
class Scene {
 public:
  explicit Scene(int points)
      : edge_m_(std::sqrt(kGroundShare * points * kVoxelArea_m2 / kPointsPerVoxel)),
        facades_(std::max(1.0, std::round((1 - kGroundShare) * points * kVoxelArea_m2 /
                                          (kPointsPerVoxel * kHeight_m * edge_m_)))) {}

  NDT_HD Point point(Random& random) const {
    const double x = edge_m_ * (random.unit() - 0.5), noise = random.within(0.02);
    if (random.unit() < kGroundShare) return at(x, edge_m_ * (random.unit() - 0.5), 0.5 + noise);
    const double facade = floor(facades_ * random.unit());
    return at(x, edge_m_ * ((facade + 0.5) / facades_ - 0.5) + noise, kHeight_m * random.unit());
  }

 private:
  static constexpr double kPointsPerVoxel = 75, kVoxelArea_m2 = 4, kGroundShare = 0.6, kHeight_m = 10;
  NDT_HD static Point at(double x, double y, double z) { return cast<float>(Vec3<double>{x, y, z}); }
  double edge_m_, facades_;
};

std::vector<Point> map_of(int points) {
  const Scene scene(points);
  Random random(1);
  std::vector<Point> out;
  for (int i = 0; i < points; ++i) out.push_back(scene.point(random));
  return out;
}

/// One thread per point, each with random numbers of its own.
__global__ void scene_kernel(Scene scene, int points, Point* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= points) return;
  Random random(Random(static_cast<std::uint64_t>(i)).next());
  out[i] = scene.point(random);
}

/// The part within range of the scene whose map has `map_points` points.
std::vector<Point> scan_of(int map_points, int points) {
  const Scene scene(map_points);
  Random random(2);
  std::vector<Point> out;
  while (out.size() < static_cast<std::size_t>(points)) {
    const Point p = scene.point(random);
    if (std::hypot(p.x, p.y) < kScanRange_m) out.push_back(p);
  }
  return out;
}

std::vector<Motion> motions_of(int poses) {
  Random random(3);
  std::vector<Motion> out;
  for (int i = 0; i < poses; ++i) {
    Pose pose;
    pose.x = random.within(1), pose.y = random.within(1), pose.z = random.within(0.2),
    pose.yaw = random.within(0.1);
    const Mat3<float> rotation = cast<float>(rotation_of(pose));
    out.push_back({rotation, cast<float>(Vec3<double>{pose.x, pose.y, pose.z}), rotation});
  }
  return out;
}

template <class T>
cuda::DeviceBuffer<T> uploaded(cuda::Context& context, const std::vector<T>& host) {
  cuda::DeviceBuffer<T> out(context, host.size());
  context.upload(out.data(), host.data(), host.size() * sizeof(T));
  context.synchronise();
  return out;
}

/// Surfaces over some square kilometres.
cuda::DeviceBuffer<Point> made_on_device(cuda::Context& context, int points) {
  cuda::DeviceBuffer<Point> out(context, static_cast<std::size_t>(points));
  context.launch(scene_kernel, cuda::grid_for(points), Scene(points), points, out.data());
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

struct Measurement {
  std::string name;
  int points = 0, poses = 0;
  std::int64_t voxels = 0;
  std::vector<double> samples_us = {};
  std::int64_t peak_bytes = 0;  ///< most device memory beside the points, of a map
  long long calls = 0;          ///< of CUDA, in the last sample; of these the traffic
  Traffic traffic = {};
};

/// Counts what one sample takes.
class Account {
 public:
  explicit Account(const cuda::Context& context)
      : context_(context), before_(context.traffic()), calls_(cuda::calls_made()) {}
  void close(Measurement& m) const {
    const Traffic& now = context_.traffic();
    m.calls = cuda::calls_made() - calls_;
    m.traffic.launches = now.launches - before_.launches;
    m.traffic.allocations = now.allocations - before_.allocations;
    m.traffic.synchronisations = now.synchronisations - before_.synchronisations;
    m.traffic.uploads = now.uploads - before_.uploads;
  }

 private:
  const cuda::Context& context_;
  Traffic before_;
  long long calls_;
};

void print(const Measurement& m) {
  std::printf("{\"name\": \"%s\", \"points\": %d, \"poses\": %d, \"voxels\": %lld, \"device\": \"%s\", ",
              m.name.c_str(), m.points, m.poses, static_cast<long long>(m.voxels),
              cuda_state().devices.front().name.c_str());
  std::printf(
      "\"calls\": %lld, \"launches\": %lld, \"allocations\": %lld, \"waits\": %lld, \"uploads\": %lld, "
      "\"peak_bytes\": %lld, \"samples_us\": [",
      m.calls, static_cast<long long>(m.traffic.launches), static_cast<long long>(m.traffic.allocations),
      static_cast<long long>(m.traffic.synchronisations), static_cast<long long>(m.traffic.uploads),
      static_cast<long long>(m.peak_bytes));
  for (std::size_t i = 0; i < m.samples_us.size(); ++i)
    std::printf("%s%.3f", i > 0 ? ", " : "", m.samples_us[i]);
  std::printf("]}\n");
  std::fprintf(stderr, "%-22s %9d points %5d poses %8lld voxels %4lld calls %12.1f us\n", m.name.c_str(),
               m.points, m.poses, static_cast<long long>(m.voxels), m.calls, median(m.samples_us));
}

/// In a Context of its own, because the peak of its memory is that since it began. prefix: of the names;
/// without a warm-up the first map of a process loads the kernels and takes the memory.
void measure_map(int points, const std::string& prefix = "map_build", int warm_up = kWarmUp,
                 int samples = kMapSamples) {
  cuda::Context context;
  const cuda::DeviceBuffer<Point> cloud =
      points < kVastMapPoints ? uploaded(context, map_of(points)) : made_on_device(context, points);
  Measurement host{prefix + "_host_clock", points}, device{prefix + "_events", points};
  cuda::Event start(context), end(context);
  for (int i = -warm_up; i < samples; ++i) {
    context.synchronise();
    const Account account(context);
    const auto before = std::chrono::steady_clock::now();
    start.record();
    const DeviceVoxelMap map(context, ScanView{cloud.data(), points}, AlignOptions{});
    end.record();
    context.synchronise();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - before;
    if (i < 0) continue;
    host.samples_us.push_back(took.count());
    device.samples_us.push_back(end.us_since(start));
    host.voxels = device.voxels = map.info().voxels;
    account.close(host), account.close(device);
  }
  host.peak_bytes = device.peak_bytes =
      context.traffic().peak_device_bytes - static_cast<std::int64_t>(points * sizeof(Point));
  print(host);
  print(device);
}

/// Runs f often, and what it began to its end each time.
template <class F>
void measure_tiles(const char* name, cuda::Context& context, std::size_t points, std::int64_t voxels, F&& f) {
  Measurement out{name, static_cast<int>(points), 0, voxels};
  for (int i = -kWarmUp; i < kMapSamples; ++i) {
    context.synchronise();
    const Account account(context);
    const auto before = std::chrono::steady_clock::now();
    f();
    context.synchronise();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - before;
    if (i >= 0) out.samples_us.push_back(took.count());
    account.close(out);
  }
  print(out);
}

/// The map in tiles of 20 m: one tile made into voxels, all tiles' voxels merged into a map, and all that it
/// takes to add a tile whose points are on the host.
void measure_tiles(cuda::Context& context, int points) {
  constexpr float kTile_m = 20;
  std::map<std::pair<int, int>, std::vector<Point>> squares;
  for (const Point& p : map_of(points))
    squares[{static_cast<int>(std::floor(p.x / kTile_m)), static_cast<int>(std::floor(p.y / kTile_m))}]
        .push_back(p);
  const AlignOptions options;
  CloudFacts facts;
  std::list<DeviceMapCloud> clouds;
  std::list<DeviceTileVoxels> tiles;
  std::vector<const DeviceTileVoxels*> all;
  for (const auto& [at, square] : squares) {
    facts.add(clouds.emplace_back(context, Vec3<double>{}, square, options).facts());
    all.push_back(&tiles.emplace_back(context, clouds.back().points({}), options));
  }
  const std::int64_t voxels = DeviceVoxelMap(context, facts, all, options).info().voxels;
  const std::size_t middle = clouds.size() / 2;
  const MapPoints one = std::next(clouds.begin(), static_cast<long>(middle))->points({});
  const std::vector<Point>& square = std::next(squares.begin(), static_cast<long>(middle))->second;
  measure_tiles("tile_voxels_host_clock", context, one.size, 0,
                [&] { const DeviceTileVoxels made(context, one, options); });
  measure_tiles("tiles_merge_host_clock", context, static_cast<std::size_t>(points), voxels,
                [&] { const DeviceVoxelMap map(context, facts, all, options); });
  measure_tiles("tile_add_host_clock", context, one.size, voxels, [&] {
    const DeviceMapCloud added(context, Vec3<double>{}, square, options);
    const DeviceTileVoxels made(context, added.points({}), options);
    all[middle] = &made;
    const DeviceVoxelMap map(context, facts, all, options);
  });
}

void measure_scores(cuda::Context& context, const DeviceVoxelMap& map, int poses, int points) {
  const AlignOptions options;
  const Gauss<double> g = make_gauss(options.outlier_ratio, options.resolution_m);
  const Gauss<float> gauss{static_cast<float>(g.d1), static_cast<float>(g.d2)};
  const cuda::DeviceBuffer<Point> scan = uploaded(context, scan_of(kScoreMapPoints, points));
  const cuda::DeviceBuffer<Motion> motions = uploaded(context, motions_of(poses));
  cuda::DeviceBuffer<PoseScore> scores(context, static_cast<std::size_t>(poses));
  ScoreScratch scratch(context);
  Measurement out{"score_poses_events", points, poses, map.info().voxels};
  cuda::Event start(context), end(context);
  for (int i = -kWarmUp; i < kScoreSamples; ++i) {
    start.record();
    score_poses(context, map.view(), gauss, {scan.data(), points}, motions.data(), poses, scores.data(),
                scratch);
    end.record();
    context.synchronise();
    if (i >= 0) out.samples_us.push_back(end.us_since(start));
  }
  print(out);
}

/// part: maps, tiles or scores; all of them if it is empty.
int run(std::string_view part) {
  const auto wanted = [&](std::string_view name) { return part.empty() || part == name; };
  if (!cuda_state().unavailable.empty()) {
    std::fprintf(stderr, "ndt-gpubench: %s\n", cuda_state().unavailable.c_str());
    return 5;  // as ndt-bench says it
  }
  if (wanted("maps")) {
    measure_map(100000, "first_map", 0, 1);
    for (const int points : {10000, 100000, 1000000, 10000000, kVastMapPoints}) measure_map(points);
  }
  cuda::Context context;
  if (wanted("tiles")) measure_tiles(context, 1000000);
  if (!wanted("scores")) return 0;
  const cuda::DeviceBuffer<Point> cloud = uploaded(context, map_of(kScoreMapPoints));
  const DeviceVoxelMap map(context, ScanView{cloud.data(), kScoreMapPoints}, AlignOptions{});
  measure_scores(context, map, 1, 5000);
  measure_scores(context, map, 1, 50000);
  measure_scores(context, map, 1000, 1000);
  return 0;
}

}  // namespace
}  // namespace ndt

int main(int argc, char** argv) {
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && part != "maps" && part != "tiles" && part != "scores")) {
    std::fprintf(stderr, "usage: ndt-gpubench [maps|tiles|scores]\n");
    return 2;
  }
  try {
    return ndt::run(part);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ndt-gpubench: %s\n", e.what());
    return 1;
  }
}
