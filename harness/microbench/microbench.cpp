#include "microbench/microbench.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "base/metrics.hpp"
#include "data/courtyard.hpp"
#include "ndt/align/resident_map.hpp"
#include "ndt/align/voxel_grid.hpp"
#include "ndt/initial_pose/sight_lines.hpp"
#include "ndt/initial_pose/tpe.hpp"
#include "town/town_plan.hpp"

namespace ndt::harness {
namespace {

constexpr int kMapPoints = 100000;  // of everything but build

using benchmark::Counter;
using Measure = std::function<void(benchmark::State&, Aligner&)>;

/// `points` are those that one iteration works through. The console shows the inverse with its prefix, e.g.
/// 4.2ns.
void count_points(benchmark::State& state, double points) {
  state.counters["points_per_s"] = Counter(points, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["s_per_point"] =
      Counter(points, static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert));
}

Measure measure_build(int points) {
  return [=](benchmark::State& state, Aligner& aligner) {
    const PointCloud map = microbench_map(points);
    MapInfo info = aligner.set_map(map);  // the first one allocates
    for (auto _ : state) benchmark::DoNotOptimize(info = aligner.set_map(map));
    count_points(state, points);
    state.counters["voxels"] = static_cast<double>(info.voxels);
  };
}

/// Squares of 20 m of a map that the aligner then has.
std::unique_ptr<ResidentMap> resident_tiles(Aligner& aligner, int points,
                                            std::map<TileId, TileCloud>& tiles) {
  constexpr float kTileM = 20;
  std::map<TileId, std::vector<Point>> squares;
  for (const Point& p : microbench_map(points).points)
    squares[static_cast<TileId>(std::floor(p.x / kTileM)) * 1000 +
            static_cast<TileId>(std::floor(p.y / kTileM))]
        .push_back(p);
  std::unique_ptr<ResidentMap> resident = aligner.resident_map();
  if (!resident) return nullptr;
  for (auto& [id, square] : squares) {
    tiles[id] = std::make_shared<const std::vector<Point>>(std::move(square));
    resident->add(id, tiles[id]);
  }
  aligner.exchange_map(resident->build());
  return resident;
}

void skip_whole(benchmark::State& state) { state.SkipWithError("makes maps of whole clouds only"); }

Measure measure_update(int points) {
  return [=](benchmark::State& state, Aligner& aligner) {
    std::map<TileId, TileCloud> tiles;
    const auto resident = resident_tiles(aligner, points, tiles);
    if (!resident) return skip_whole(state);
    const auto& [id, tile] = *std::next(tiles.begin(), static_cast<std::ptrdiff_t>(tiles.size() / 2));
    std::shared_ptr<const ReadyMap> ready;  // held, as an aligner holds it
    for (auto _ : state) {
      resident->remove(id);
      resident->add(id, tile);
      ready = resident->build();
    }
    state.counters["tiles"] = static_cast<double>(tiles.size());
    state.counters["tile_points"] = static_cast<double>(tile->size());
  };
}

Measure measure_exchange(int points) {
  return [=](benchmark::State& state, Aligner& aligner) {
    std::map<TileId, TileCloud> tiles;
    const auto resident = resident_tiles(aligner, points, tiles);
    if (!resident) return skip_whole(state);
    std::shared_ptr<const ReadyMap> other = resident->build();
    for (auto _ : state) other = aligner.exchange_map(std::move(other));
  };
}

Measure measure_evaluate(int points) {
  return [=](benchmark::State& state, Aligner& aligner) {
    aligner.set_map(microbench_map(kMapPoints));
    const PointCloud scan = microbench_scan(points);
    const Transform pose = microbench_guess();
    Evaluation evaluation = aligner.evaluate(scan, pose);
    for (auto _ : state) benchmark::DoNotOptimize(evaluation = aligner.evaluate(scan, pose));
    count_points(state, points);
    state.counters["pairs_per_point"] = static_cast<double>(evaluation.correspondences) / points;
  };
}

Measure measure_score(int points) {
  return [=](benchmark::State& state, Aligner& aligner) {
    aligner.set_map(microbench_map(kMapPoints));
    const PointCloud scan = microbench_scan(points);
    const std::vector<Transform> poses = microbench_poses();
    std::vector<Score> scores(poses.size());
    aligner.score_batch(scan, poses, scores);
    for (auto _ : state) {
      aligner.score_batch(scan, poses, scores);
      benchmark::DoNotOptimize(scores.data());
      benchmark::ClobberMemory();
    }
    count_points(state, static_cast<double>(poses.size()) * points);
  };
}

Measure measure_align(int points) {
  return [=](benchmark::State& state, Aligner& aligner) {
    aligner.set_map(microbench_map(kMapPoints));
    const PointCloud scan = microbench_scan(points);
    const Transform guess = microbench_guess();
    AlignResult result = aligner.align(scan, guess);
    if (result.stop != Stop::converged)
      throw std::runtime_error(fmt::format("align: stop is {}, not converged", to_string(result.stop)));
    for (auto _ : state) benchmark::DoNotOptimize(result = aligner.align(scan, guess));
    count_points(state, static_cast<double>(result.evaluations) * points);
    state.counters["newton_iterations"] = result.iterations;  // "iterations" is Google Benchmark's own
    state.counters["evaluations"] = result.evaluations;
    state.counters["error_m"] = pose_difference(result.map_from_scan, {}).translation_m;
  };
}

/// The guided half of a search of 200 particles, its alignments left out: what the host does between them.
/// Drawn ahead: what is left of it when the rest is done during alignments.
void propose(benchmark::State& state, int at_once, bool drawn_ahead) {
  constexpr int kStartup = 100, kGuided = 100;
  const auto value = [](const Pose& p) { return -(p.x * p.x + p.y * p.y + p.yaw * p.yaw); };
  initial_pose::Tpe started({{}, {5, 5, 0.2, 0.02, 0.02}}, {kStartup, 100, 1});
  const std::vector<Pose> first = started.ask(kStartup);
  if (drawn_ahead) started.draw_ahead(kGuided, at_once);
  for (const Pose& place : first) started.tell(place, value(place));
  for (auto _ : state) {
    initial_pose::Tpe tpe = started;
    for (int done = 0; done < kGuided; done += at_once) {
      const std::vector<Pose> places = tpe.ask(std::min(at_once, kGuided - done));
      if (drawn_ahead) {
        state.PauseTiming();
        tpe.draw_ahead(at_once, at_once);
        state.ResumeTiming();
      }
      for (const Pose& place : places) tpe.tell(place, value(place));
    }
    benchmark::DoNotOptimize(tpe);
  }
  state.counters["s_per_proposal"] =
      Counter(kGuided, static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert));
}

/// Measures what the verdict of a search takes beside its alignments: a look from one end, with 5,000 points.
void look(benchmark::State& state, int map_points) {
  const initial_pose::SightLines sight_lines(microbench_map(map_points));
  const initial_pose::ScanRays scan(microbench_scan(5000));
  for (auto _ : state) benchmark::DoNotOptimize(sight_lines.look(scan, microbench_guess()));
}

/// The voxel grid of 1 m of a sweep, with the memory of the one before, as `localize` filters.
void thin(benchmark::State& state, const town::LidarModel& lidar) {
  const PointCloud sweep = microbench_sweep(lidar);
  VoxelGrid grid;
  PointCloud cloud;
  for (auto _ : state) {
    state.PauseTiming();
    cloud = sweep;
    state.ResumeTiming();
    grid.thin(cloud, 1);
    benchmark::DoNotOptimize(cloud.points.data());
  }
  count_points(state, static_cast<double>(sweep.size()));
  state.counters["leaves"] = static_cast<double>(cloud.size());
}

/// Runs a measurement on a new aligner; what goes wrong becomes the benchmark's error and is counted.
void run(benchmark::State& state, const Implementation& implementation, const AlignOptions& options,
         const Measure& measure, int& failed) {
  if (const std::string reason = implementation.unavailable_reason(); !reason.empty()) {
    state.SkipWithError(reason.c_str());
    return;
  }
  try {
    measure(state, *implementation.make(options));
  } catch (const std::exception& error) {
    ++failed;
    state.SkipWithError(error.what());
  }
}

constexpr int kPointsPerCourtyard = 100000;
constexpr int kCourtyardM = 64;
constexpr std::uint64_t kScanSeed = 2, kFirstMapSeed = 1000;

}  // namespace

void register_microbenchmarks(std::span<const Implementation> table, const AlignOptions& options,
                              int& failed) {
  std::vector<Implementation> implementations(table.begin(), table.end());
  std::erase_if(implementations, [](const Implementation& entry) { return entry.not_for_use; });
  // Wall time: the calling thread of an implementation with workers, or of a device, mostly waits.
  const auto add = [&](const Implementation& implementation, const std::string& name,
                       const Measure& measure) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [implementation, options, measure, &failed](benchmark::State& state) {
                                   run(state, implementation, options, measure, failed);
                                 })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const Implementation& implementation : implementations)
    for (const int points : {100000, 1000000})
      add(implementation, fmt::format("build/{}/{}", implementation.name, points), measure_build(points));
  for (const Implementation& implementation : implementations) {
    add(implementation, fmt::format("update/{}/1000000", implementation.name), measure_update(1000000));
    add(implementation, fmt::format("exchange/{}/1000000", implementation.name), measure_exchange(1000000));
  }
  for (const Implementation& implementation : implementations)
    for (const int points : {1000, 5000, 50000})
      add(implementation, fmt::format("evaluate/{}/{}", implementation.name, points),
          measure_evaluate(points));
  for (const Implementation& implementation : implementations)
    if (implementation.batches)
      add(implementation, fmt::format("score/{}/5000x{}", implementation.name, microbench_poses().size()),
          measure_score(5000));
  for (const Implementation& implementation : implementations)
    add(implementation, fmt::format("align/{}/5000", implementation.name), measure_align(5000));
  for (const auto& [name, at_once, drawn_ahead] : {std::tuple("propose/100x1", 1, false),
                                                   {"propose/100x16", 16, false},
                                                   {"propose_drawn_ahead/100x16", 16, true}})
    benchmark::RegisterBenchmark(name, [at_once = at_once, drawn_ahead = drawn_ahead](
                                           benchmark::State& state) { propose(state, at_once, drawn_ahead); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  for (const town::LidarModel lidar : {town::LidarModel{32, 512}, town::LidarModel{64, 1024}})
    benchmark::RegisterBenchmark(fmt::format("thin/{}x{}", lidar.beams, lidar.azimuths).c_str(),
                                 [lidar](benchmark::State& state) { thin(state, lidar); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("look/100000", [](benchmark::State& state) { look(state, 100000); })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

PointCloud microbench_sweep(const town::LidarModel& lidar) {
  constexpr double kAlong_m = 20;
  const town::TownPlan plan = town::plan_of(TownScale::small);
  const town::World world = town::build_world(plan, 1);
  const Transform pose = town::sensor_pose(world.ground(), town::scan_drive(plan).at(kAlong_m));
  PointCloud sweep;
  for (const town::Millimetres& p : town::Lidar(lidar).scan(world, pose, kScanSeed))
    sweep.points.push_back(cast<float>(town::in_metres(p)));
  return sweep;
}

PointCloud microbench_map(int points) {
  const int courtyards = (points + kPointsPerCourtyard - 1) / kPointsPerCourtyard;
  const int columns = static_cast<int>(std::ceil(std::sqrt(courtyards)));
  PointCloud map;
  map.points.reserve(static_cast<std::size_t>(points));
  for (int k = 0; k < courtyards; ++k) {
    const PointCloud courtyard =
        make_courtyard({.seed = kFirstMapSeed + static_cast<std::uint64_t>(k),
                        .points = std::min(kPointsPerCourtyard, points - k * kPointsPerCourtyard),
                        .offset_m = {kCourtyardM * (k % columns), kCourtyardM * (k / columns), 0}});
    map.points.insert(map.points.end(), courtyard.points.begin(), courtyard.points.end());
  }
  return map;
}

PointCloud microbench_scan(int points) { return make_courtyard({.seed = kScanSeed, .points = points}); }

Transform microbench_guess() { return to_transform(Pose{0.3, -0.2, 0.05, 0.01, -0.01, 0.03}); }

std::vector<Transform> microbench_poses() {
  std::vector<Transform> poses;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      poses.push_back(to_transform(Pose{0.1 * (i - 3.5), 0.1 * (j - 3.5), 0, 0, 0, 0}));
  return poses;
}

}  // namespace ndt::harness
