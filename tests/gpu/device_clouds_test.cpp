// Scans and maps that are in device memory already, against the same from the host, bit for bit.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "device_implementations.hpp"
#include "message_of.hpp"
#include "ndt/c.h"
#include "ndt/core/error.hpp"
#include "ndt/cuda/context.cuh"
#include "ndt/cuda/device.hpp"
#include "points_on_device.hpp"

namespace ndt {
namespace {

using testing::HasSubstr;

const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});
const Layout kXyzi = record_layouts()[1];
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                kInfinite = std::numeric_limits<float>::infinity();

std::vector<AlignOptions> various_options() {
  AlignOptions searching, pyramid = AlignOptions::pyramid(), throughput;
  searching.line_search = LineSearch::more_thuente;
  pyramid.coarse_stride = 3;
  throughput.tuning = Tuning::throughput;
  return {{}, searching, pyramid, throughput};
}

/// Every 7th point is not finite, and so are the first and the last.
PointCloud with_gaps(PointCloud cloud) {
  for (std::size_t i = 0; i < cloud.size(); i += 7) cloud.points[i].y = i % 2 == 0 ? kNan : -kInfinite;
  cloud.points.back().z = kInfinite;
  return cloud;
}

/// Moves a cloud to a national grid's coordinates, with an origin in float64.
PointCloud from_afar(PointCloud cloud) {
  cloud.origin = {412345.25, -5678901.5, 88.125};
  return cloud;
}

class DeviceClouds : public DeviceImplementation {
 protected:
  static void expect_same(Aligner& aligner, const PointCloud& scan, const Layout& layout,
                          const std::string& name) {
    const AlignResult expected = aligner.align(scan, kGuess);
    const AlignResult got = aligner.align(PointsOnDevice(scan, layout), kGuess);
    EXPECT_TRUE(harness::same_bits(got, expected)) << name << ", " << layout.name;
    EXPECT_EQ(got.dropped_points, expected.dropped_points) << name;
  }
  /// The maps of both, by their voxels and by an alignment.
  void expect_same_map(const PointCloud& map, const PointCloud& scan, const Transform& guess,
                       const AlignOptions& options, const std::string& name) const {
    const auto host = GetParam().make(options), device = GetParam().make(options);
    const MapInfo expected = host->set_map(map), got = device->set_map(PointsOnDevice(map, kXyzi));
    EXPECT_EQ(got.points, expected.points) << name;
    EXPECT_EQ(got.dropped_points, expected.dropped_points) << name;
    EXPECT_EQ(got.voxels, expected.voxels) << name;
    EXPECT_EQ(got.origin.x, expected.origin.x) << name;
    EXPECT_EQ(got.origin.y, expected.origin.y) << name;
    EXPECT_EQ(got.origin.z, expected.origin.z) << name;
    const AlignResult one = host->align(scan, guess);
    EXPECT_TRUE(harness::same_bits(one, device->align(scan, guess))) << name;
    EXPECT_EQ(one.stop, Stop::converged) << name << ": the scene does not test enough";
  }
};

TEST_P(DeviceClouds, GiveAScanTheBitsOfTheHostForAnyNumberOfPoints) {
  for (const AlignOptions& options : various_options()) {
    const auto aligner = in_courtyard(options);
    for (const std::size_t points : {0U, 1U, 15U, 16U, 17U, 255U, 256U, 5000U, 50001U})
      expect_same(*aligner, test_clouds::scan_of(points), kXyzi, std::to_string(points) + " points");
  }
}

TEST_P(DeviceClouds, MayHaveAnyLayout) {
  const auto aligner = in_courtyard();
  for (const Layout& layout : record_layouts()) expect_same(*aligner, test_clouds::scan(), layout, "scan");
  const AlignResult expected = aligner->align(test_clouds::scan(), kGuess);
  // Arrays of x, of y and of z, and points from the last to the first.
  const auto n = static_cast<std::ptrdiff_t>(test_clouds::scan().size());
  PointCloud columns = test_clouds::scan(), backwards = test_clouds::scan();
  std::vector<float> values;
  for (float Point::*axis : {&Point::x, &Point::y, &Point::z})
    for (const Point& p : test_clouds::scan().points) values.push_back(p.*axis);
  for (std::size_t i = 0; i < values.size(); ++i) (&columns.points[i / 3].x)[i % 3] = values[i];
  const PointsOnDevice in_columns(columns);
  DeviceCloud cloud = in_columns.cloud();
  cloud.stride_bytes = 4, cloud.y_bytes = 4 * n, cloud.z_bytes = 8 * n;
  EXPECT_TRUE(harness::same_bits(aligner->align(cloud, kGuess), expected));
  std::reverse(backwards.points.begin(), backwards.points.end());
  const PointsOnDevice reversed(backwards, kXyzi);
  cloud = reversed.cloud();
  cloud.points = static_cast<const char*>(cloud.points) + (n - 1) * cloud.stride_bytes;
  cloud.stride_bytes = -cloud.stride_bytes;
  EXPECT_TRUE(harness::same_bits(aligner->align(cloud, kGuess), expected));
}

TEST_P(DeviceClouds, DropThePointsThatTheHostDrops) {
  for (const AlignOptions& options : various_options()) {
    const auto aligner = in_courtyard(options);
    for (const std::size_t points : {2U, 16U, 33U, 5000U})
      expect_same(*aligner, with_gaps(test_clouds::scan_of(points)), kXyzi, "gaps");
    PointCloud nothing;
    nothing.points.assign(40, {kNan, 0, 0});
    expect_same(*aligner, nothing, kXyzi, "nothing");
    PointCloud far = test_clouds::scan();
    far.points[3] = {1e30F, 0, 0}, far.points[77] = {0, 3e38F, 3e38F}, far.points[2500] = {0, 0, -70000};
    expect_same(*aligner, far, kXyzi, "far");
    expect_same(*aligner, with_gaps(far), kXyzi, "far, and gaps");
    far = test_clouds::scan();
    far.points.back() = {800, 700, 0};  // a measurement, and not in a whole block of 16
    expect_same(*aligner, far, kXyzi, "a kilometre away");
  }
}

TEST_P(DeviceClouds, MayHaveAnOriginOfTheirOwn) {
  PointCloud moved = test_clouds::scan();
  moved.origin = {3.25, -1.1, 0.3};
  for (Point& p : moved.points) p = cast<float>(cast<double>(p) - moved.origin);
  expect_same(*in_courtyard(), moved, kXyzi, "moved");
}

TEST_P(DeviceClouds, AreRefusedInTheWordsOfTheHost) {
  const auto aligner = in_courtyard();
  PointCloud coarse = test_clouds::scan();
  for (Point& p : coarse.points) p.x += 4e6F;
  const auto scan = [&](const auto& cloud) {
    return message_of<std::exception>([&] { aligner->align(cloud, kGuess); });
  };
  EXPECT_THAT(scan(coarse), HasSubstr("precision_lost"));
  EXPECT_EQ(scan(PointsOnDevice(coarse).cloud()), scan(coarse));
  const auto map = [&](const auto& cloud) {
    return message_of<std::exception>([&] { aligner->set_map(cloud); });
  };
  PointCloud sparse, scattered = test_clouds::map();
  sparse.points = {{1, 1, 1}, {9, 1, kNan}};
  scattered.points[5] = {9e6F, 0, 0};
  for (const PointCloud& cloud : {coarse, sparse, scattered, PointCloud{}}) {
    EXPECT_NE(map(cloud), "");
    EXPECT_EQ(map(PointsOnDevice(cloud).cloud()), map(cloud));
  }
  expect_same(*aligner, test_clouds::scan(), kXyzi, "the map before is kept");
}

TEST_P(DeviceClouds, ThatTheDeviceDoesNotReadAreRefusedAndTheAlignerGoesOn) {
  const auto aligner = in_courtyard();
  const PointsOnDevice scan(test_clouds::scan());
  const auto refusal = [&](auto change) {
    DeviceCloud cloud = scan.cloud();
    change(cloud);
    return message_of<std::exception>([&] { aligner->align(cloud, kGuess); });
  };
  EXPECT_THAT(refusal([](DeviceCloud& c) { c.points = test_clouds::scan().points.data(); }),
              HasSubstr("align: the points are at an address that no device reads"));
  EXPECT_THAT(refusal([](DeviceCloud& c) { c.points = nullptr; }), HasSubstr("at a null address"));
  EXPECT_THAT(refusal([](DeviceCloud& c) { c.stride_bytes = 13; }), HasSubstr("stride_bytes = 13"));
  EXPECT_THAT(message_of<std::exception>([&] { GetParam().make({})->align(scan.cloud(), kGuess); }),
              HasSubstr("align: set_map was not called"));
  expect_same(*aligner, test_clouds::scan(), kXyzi, "afterwards");
}

TEST_P(DeviceClouds, AreEvaluatedScoredAndAlignedInBatches) {
  for (const PointCloud& scan : {test_clouds::scan(), with_gaps(test_clouds::scan())}) {
    const auto aligner = in_courtyard();
    const PointsOnDevice on_device(scan, kXyzi);
    PerScan scored;
    scored.point_scores = true;
    const Evaluation expected = aligner->evaluate(scan, kGuess, scored),
                     got = aligner->evaluate(on_device, kGuess, scored);
    EXPECT_EQ(got.score, expected.score);
    EXPECT_EQ(got.point_scores, expected.point_scores);
    EXPECT_EQ(got.hessian.m[7], expected.hessian.m[7]);
    const std::vector<Transform> guesses = test_clouds::mixed_guesses(40);
    std::vector<Score> scores(40), device_scores(40);
    aligner->score_batch(scan, guesses, scores);
    aligner->score_batch(on_device, guesses, device_scores);
    std::vector<AlignResult> results(40), device_results(40);
    aligner->align_batch(scan, guesses, results);
    aligner->align_batch(on_device, guesses, device_results);
    for (std::size_t k = 0; k < guesses.size(); ++k) {
      EXPECT_EQ(device_scores[k].nvtl, scores[k].nvtl) << k;
      EXPECT_TRUE(harness::same_bits(device_results[k], results[k])) << k;
    }
  }
}

TEST_P(DeviceClouds, MakeTheMapsOfTheHost) {
  for (AlignOptions options : {AlignOptions{}, AlignOptions::pyramid()}) {
    expect_same_map(test_clouds::map(), test_clouds::scan(), kGuess, options, "courtyard");
    expect_same_map(with_gaps(test_clouds::map()), test_clouds::scan(), kGuess, options, "gaps");
    PointCloud moved = test_clouds::map();
    for (Point& p : moved.points) p = p + Point{4990, -3005, 40};
    Transform there = kGuess;
    there.m[3] += 4990, there.m[7] -= 3005, there.m[11] += 40;
    expect_same_map(moved, test_clouds::scan(), there, options, "beyond a kilometre");
    expect_same_map(with_gaps(moved), test_clouds::scan(), there, options, "beyond a kilometre, gaps");
    const PointCloud afar = from_afar(test_clouds::map());
    there = kGuess;
    there.m[3] += afar.origin.x, there.m[7] += afar.origin.y, there.m[11] += afar.origin.z;
    expect_same_map(afar, test_clouds::scan(), there, options, "an origin");
  }
}

TEST_P(DeviceClouds, DoNotTravelThroughTheHost) {
  if (GetParam().not_for_use)
    GTEST_SKIP() << "takes what it makes of every point through the host, on purpose";
  const PointCloud& scan = test_clouds::scan();
  for (const PointCloud& cloud : {scan, with_gaps(scan)}) {
    const auto aligner = in_courtyard();
    const PointsOnDevice on_device(cloud, kXyzi);
    aligner->align(on_device, kGuess);
    const Traffic before = *aligner->traffic();
    aligner->align(on_device, kGuess);
    const Traffic t = harness::traffic_between(before, *aligner->traffic());
    EXPECT_LT(t.upload_bytes, 512);
    // A byte for every point, and again where some are not finite.
    EXPECT_LT(t.download_bytes, static_cast<std::int64_t>(2 * scan.size()) + 1024);
    EXPECT_EQ(t.allocations, 0);
  }
  const auto aligner = GetParam().make({});
  const Traffic before = *aligner->traffic();  // of the rehearsal
  aligner->set_map(PointsOnDevice(test_clouds::map(), kXyzi));
  EXPECT_LT(harness::traffic_between(before, *aligner->traffic()).upload_bytes, 4096);
}

TEST_P(DeviceClouds, AreReadBehindTheWorkOfTheirStream) {
  const auto aligner = in_courtyard();
  const AlignResult expected = aligner->align(test_clouds::scan(), kGuess);
  constexpr std::chrono::milliseconds kDelay{50};
  {
    const PointsOnDevice late(test_clouds::scan(), kXyzi, kDelay);
    EXPECT_EQ(cudaStreamQuery(late.stream()), cudaErrorNotReady);
    EXPECT_TRUE(harness::same_bits(aligner->align(late, kGuess), expected));
  }
  const PointsOnDevice late_map(test_clouds::map(), kXyzi, kDelay);
  aligner->set_map(late_map);
  EXPECT_TRUE(harness::same_bits(aligner->align(test_clouds::scan(), kGuess), expected));
}

TEST_P(DeviceClouds, MayBeOverwrittenWhenACallReturns) {
  const auto aligner = in_courtyard();
  const AlignResult expected = aligner->align(test_clouds::scan(), kGuess);
  PointsOnDevice scan(test_clouds::scan(), kXyzi), map(test_clouds::map(), kXyzi);
  std::vector<AlignResult> results(3);
  const std::vector<Transform> guesses(3, kGuess);
  aligner->set_map(map);
  map.overwrite();
  aligner->submit(scan, guesses);
  scan.overwrite();
  aligner->collect(results);
  for (const AlignResult& result : results) EXPECT_TRUE(harness::same_bits(result, expected));
}

TEST_P(DeviceClouds, OfTheLegacyDefaultStreamNeedNoHandle) {
  const auto aligner = in_courtyard();
  const PointsOnDevice scan(test_clouds::scan(), kXyzi);
  DeviceCloud cloud = scan.cloud();
  cloud.stream = nullptr;
  EXPECT_TRUE(harness::same_bits(aligner->align(cloud, kGuess), aligner->align(test_clouds::scan(), kGuess)));
}

/// With two GPUs: one aligner on each, in one thread, whose current device stays what it was.
TEST_P(DeviceClouds, AndAlignersOnTwoDevicesDoNotMixAndLeaveTheCurrentDevice) {
  if (cuda_state().devices.size() < 2) GTEST_SKIP() << "one device";
  AlignOptions first, second;
  second.device = 1;
  for (const int current : {0, 1}) {
    must(cudaSetDevice(current));
    const auto a = in_courtyard(first), b = in_courtyard(second);
    const AlignResult expected = a->align(test_clouds::scan(), kGuess);
    EXPECT_TRUE(harness::same_bits(b->align(test_clouds::scan(), kGuess), expected));
    EXPECT_EQ(current_device(), current);
    const PointsOnDevice scan(test_clouds::scan(), kXyzi);
    Aligner &near = current == 0 ? *a : *b, &other = current == 0 ? *b : *a;
    EXPECT_TRUE(harness::same_bits(near.align(scan, kGuess), expected));
    EXPECT_THAT(message_of<std::exception>([&] { other.align(scan.cloud(), kGuess); }),
                HasSubstr("align: the points are on device " + std::to_string(current) +
                          ", and the aligner is on device " + std::to_string(1 - current)));
    EXPECT_EQ(current_device(), current);
    std::vector<AlignResult> results(5);
    other.align_batch(test_clouds::scan(), std::vector<Transform>(5, kGuess), results);
    for (const AlignResult& result : results) EXPECT_TRUE(harness::same_bits(result, expected));
    EXPECT_EQ(other.voxels().size(), near.voxels().size());
    EXPECT_EQ(current_device(), current);
  }
  must(cudaSetDevice(0));
}

NDT_ON_DEVICE_IMPLEMENTATIONS(DeviceClouds);

TEST(DeviceCloudsInC, HaveTheBitsOfTheHost) {
  ndt_aligner* aligner = nullptr;
  if (ndt_aligner_create("persistent_cuda", nullptr, &aligner) != NDT_OK) GTEST_SKIP() << ndt_last_error();
  const PointCloud &scan = test_clouds::scan(), &map = test_clouds::map();
  const PointsOnDevice scan_there(scan, kXyzi), map_there(map, record_layouts().back());
  const auto there = [](const DeviceCloud& c) {
    return ndt_device_cloud{sizeof(ndt_device_cloud),
                            c.points,
                            c.size,
                            static_cast<std::size_t>(c.stride_bytes),
                            {static_cast<std::size_t>(c.x_bytes), static_cast<std::size_t>(c.y_bytes),
                             static_cast<std::size_t>(c.z_bytes)},
                            {},
                            c.stream};
  };
  const ndt_device_cloud device_scan = there(scan_there.cloud()), device_map = there(map_there.cloud());
  const ndt_cloud host_scan{&scan.points.data()->x, scan.size(), 0, {}},
      host_map{&map.points.data()->x, map.size(), 0, {}};
  ndt_result got{}, expected{};
  got.struct_size = expected.struct_size = sizeof(got);
  EXPECT_EQ(ndt_aligner_set_map(aligner, &host_map), NDT_OK) << ndt_last_error();
  EXPECT_EQ(ndt_aligner_align(aligner, &host_scan, kGuess.m, &expected), NDT_OK) << ndt_last_error();
  EXPECT_EQ(ndt_aligner_set_map_on_device(aligner, &device_map), NDT_OK) << ndt_last_error();
  EXPECT_EQ(ndt_aligner_align_on_device(aligner, &device_scan, kGuess.m, &got), NDT_OK) << ndt_last_error();
  EXPECT_EQ(expected.stop, NDT_CONVERGED);
  EXPECT_TRUE(std::ranges::equal(got.map_from_scan, expected.map_from_scan));
  EXPECT_EQ(got.score, expected.score);
  ndt_aligner_destroy(aligner);
}

}  // namespace
}  // namespace ndt
