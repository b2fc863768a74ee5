// Autoware's library and the adapter on one drive through the town, call by call.
#include "autoware_drive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "data/sources.hpp"
#include "ndt/align/preparation.hpp"
#include "ndt/pcl/registration.hpp"
#include "temporary_folder.hpp"
#include "test_clouds.hpp"
#include "town/town.hpp"

namespace ndt {
namespace {

constexpr double kRadiusM = 60, kUpdateM = 20;

struct Town {
  PointCloud map;
  std::vector<PointCloud> scans;
  std::vector<Transform> truth;
};

const Town& town() {
  static const Town made = [] {
    const harness::TemporaryFolder folder;
    const std::filesystem::path place = folder.path() / "town";
    harness::write_town({}, place);
    const harness::Dataset dataset = harness::read_dataset(place / "dataset.toml", place);
    ScanPreparation filters;
    filters.max_range_m = 50, filters.voxel_leaf_m = 1.0;
    Town out;
    out.map = dataset.map(0);
    for (std::size_t i = 0; i < dataset.frames.size(); ++i) {
      out.scans.push_back(prepare(dataset.scan(i), filters).cloud);
      out.truth.push_back(dataset.frames[i].truth.value());
    }
    return out;
  }();
  return made;
}

/// Puts the town into a metric grid zone, where float32 has steps of 8 mm. Whole voxels and tiles away.
Town far_town() {
  Town out = town();
  for (Point& p : out.map.points) p.x += 81360, p.y += 49920;
  for (Transform& truth : out.truth) truth(0, 3) += 81360, truth(1, 3) += 49920;
  return out;
}

DriveCloud::Ptr to_pcl(const std::vector<Point>& points) {
  DriveCloud::Ptr out(new DriveCloud);
  for (const Point& p : points) out->push_back({p.x, p.y, p.z});
  return out;
}

using Square = std::pair<int, int>;

std::map<Square, std::vector<Point>> squares_of(const PointCloud& map, double edge_m) {
  std::map<Square, std::vector<Point>> out;
  const auto index = [&](float at) { return static_cast<int>(std::floor(static_cast<double>(at) / edge_m)); };
  for (const Point& p : map.points) out[{index(p.x), index(p.y)}].push_back(p);
  return out;
}

bool near(const Square& square, double edge_m, const Transform& at) {
  return std::hypot((square.first + 0.5) * edge_m - at(0, 3), (square.second + 0.5) * edge_m - at(1, 3)) <
         kRadiusM;
}

/// The whole drive; tiles within the radius come and go whenever the car has gone on by the update distance.
std::vector<DriveFrame> drive_in_tiles(const Town& in, double edge_m) {
  const auto squares = squares_of(in.map, edge_m);
  const std::vector<Pose> offsets = test_clouds::offsets(static_cast<int>(in.scans.size()), 0.3, 0.02);
  std::vector<DriveFrame> frames;
  std::set<Square> held;
  const Transform* updated = nullptr;
  for (std::size_t k = 0; k < in.scans.size(); ++k) {
    const Transform& truth = in.truth[k];
    DriveFrame& frame = frames.emplace_back();
    frame.scan = to_pcl(in.scans[k].points);
    frame.guess = adapters::matrix_of<float>(truth * to_transform(offsets[k]));
    frame.pulled = k % 3 == 2;
    if (updated && std::hypot(truth(0, 3) - (*updated)(0, 3), truth(1, 3) - (*updated)(1, 3)) < kUpdateM)
      continue;
    updated = &truth;
    for (const auto& [square, points] : squares) {
      const std::string id = std::to_string(square.first) + "_" + std::to_string(square.second);
      const bool wanted = near(square, edge_m, truth);
      if (wanted && held.insert(square).second) frame.come.emplace_back(id, to_pcl(points));
      if (!wanted && held.erase(square) > 0) frame.go.push_back(id);
    }
  }
  return frames;
}

/// The largest difference of a kind, and the sums of both libraries' times.
struct Worst {
  double value = 0;
  void take(double difference) { value = std::isnan(difference) ? HUGE_VAL : std::max(value, difference); }
};
double apart(double a, double b) { return std::fabs(a - b); }
template <class A, class B>
double apart(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}
template <class A, class B>
double share_apart(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return apart(a, b) / static_cast<double>(b.cwiseAbs().maxCoeff());
}

struct Differences {
  Worst metres, turn, path, probability, nvtl, on_the_way, hessian, moved;
  Worst cloud_probability, cloud_nvtl, point_score, left_out;
  Worst laplace, multi, multi_score, adjusted, mean;
  double from_truth = 0, autowares_from_truth = 0;  ///< summed
  int frames = 0, iterations_differ = 0, changes = 0;
  std::size_t points_left_out = 0, points = 0;
};

using Scores = std::map<std::array<float, 3>, float>;
Scores by_place(const ::pcl::PointCloud<::pcl::PointXYZI>& cloud) {
  Scores out;
  for (const auto& p : cloud) out[{p.x, p.y, p.z}] = p.intensity;
  return out;
}

void compare_points(const DriveAnswer& ours, const DriveAnswer& theirs, Differences& out) {
  const Scores mine = by_place(ours.point_scores), other = by_place(theirs.point_scores);
  out.points += ours.at_guess.size();
  for (const auto& [place, score] : mine)
    out.point_score.take(other.contains(place)
                             ? apart(static_cast<double>(score), static_cast<double>(other.at(place)))
                             : HUGE_VAL);
  for (const auto& [place, score] : other) {
    if (mine.contains(place)) continue;
    ++out.points_left_out;
    out.left_out.take(static_cast<double>(score));
  }
}

void compare(const DriveAnswer& ours, const DriveAnswer& theirs, Differences& out) {
  ++out.frames;
  out.changes += theirs.update_ms > 0;
  ASSERT_EQ(ours.ids, theirs.ids);
  ASSERT_EQ(ours.moved.size(), theirs.moved.size());
  out.metres.take(apart(ours.pose.topRightCorner<3, 1>(), theirs.pose.topRightCorner<3, 1>()));
  out.turn.take(apart(ours.pose.topLeftCorner<3, 3>(), theirs.pose.topLeftCorner<3, 3>()));
  out.probability.take(apart(ours.probability, theirs.probability));
  out.nvtl.take(apart(ours.nvtl, theirs.nvtl));
  out.hessian.take(share_apart(ours.hessian, theirs.hessian));
  for (std::size_t i = 0; i < ours.moved.size(); ++i)
    out.moved.take(apart(ours.moved[i].getVector3fMap(), theirs.moved[i].getVector3fMap()));
  out.cloud_probability.take(apart(ours.cloud_probability, theirs.cloud_probability));
  out.cloud_nvtl.take(apart(ours.cloud_nvtl, theirs.cloud_nvtl));
  compare_points(ours, theirs, out);
  out.laplace.take(share_apart(ours.laplace, theirs.laplace));
  out.multi.take(apart(ours.multi, theirs.multi));
  out.multi_score.take(apart(ours.multi_score, theirs.multi_score));
  out.adjusted.take(apart(ours.adjusted, theirs.adjusted));
  out.mean.take(apart(ours.multi_mean, theirs.multi_mean));
  out.mean.take(apart(ours.multi_score_mean, theirs.multi_score_mean));
  out.iterations_differ += ours.iterations != theirs.iterations;
  ASSERT_EQ(ours.poses.size(), static_cast<std::size_t>(ours.iterations + 1));
  ASSERT_EQ(theirs.poses.size(), static_cast<std::size_t>(theirs.iterations + 1));
  for (std::size_t i = 0; i < std::min(ours.poses.size(), theirs.poses.size()); ++i) {
    out.path.take(apart(ours.poses[i].topRightCorner<3, 1>(), theirs.poses[i].topRightCorner<3, 1>()));
    out.on_the_way.take(static_cast<double>(std::fabs(ours.probabilities[i] - theirs.probabilities[i])));
    out.on_the_way.take(static_cast<double>(std::fabs(ours.nvtls[i] - theirs.nvtls[i])));
  }
}

double mean_ms(const std::vector<DriveAnswer>& answers, double DriveAnswer::*ms) {
  double sum = 0;
  int count = 0;
  for (const DriveAnswer& answer : answers)
    if (answer.*ms > 0 && &answer != &answers[0]) sum += answer.*ms, ++count;
  return count > 0 ? sum / count : 0;
}

void print(double edge_m, const Differences& d, const std::vector<DriveAnswer>& ours,
           const std::vector<DriveAnswer>& theirs) {
  std::printf("tiles of %.0f m: %d scans of %zu points on average, %d changes of tiles; worst differences\n",
              edge_m, d.frames, d.points / static_cast<std::size_t>(d.frames), d.changes);
  std::printf("  pose %.2e m, %.2e in the rotation; on the way %.2e m; iterations differ in %d\n",
              d.metres.value, d.turn.value, d.path.value, d.iterations_differ);
  std::printf("  probability %.2e, NVTL %.2e, both on the way %.2e, Hessian %.2e of it, cloud %.2e m\n",
              d.probability.value, d.nvtl.value, d.on_the_way.value, d.hessian.value, d.moved.value);
  std::printf(
      "  of a cloud: probability %.2e, NVTL %.2e, per point %.2e; %zu of %zu points left out, score %.2e at "
      "most\n",
      d.cloud_probability.value, d.cloud_nvtl.value, d.point_score.value, d.points_left_out, d.points,
      d.left_out.value);
  std::printf(
      "  covariance: Laplace %.2e of it, multi-NDT %.2e m2, by scores %.2e m2, adjusted %.2e m2, mean %.2e "
      "m\n",
      d.laplace.value, d.multi.value, d.multi_score.value, d.adjusted.value, d.mean.value);
  std::printf("  mean distance from the true pose: %.4f m, Autoware %.4f m\n", d.from_truth / d.frames,
              d.autowares_from_truth / d.frames);
  for (const auto& [what, ms] : {std::pair{"change of tiles", &DriveAnswer::update_ms},
                                 {"align", &DriveAnswer::align_ms},
                                 {"two scores", &DriveAnswer::score_ms},
                                 {"scores of points", &DriveAnswer::points_ms},
                                 {"multi-NDT", &DriveAnswer::multi_ms},
                                 {"multi-NDT by scores", &DriveAnswer::multi_score_ms}})
    std::printf("  %-20s %8.2f ms, Autoware %8.2f ms\n", what, mean_ms(ours, ms), mean_ms(theirs, ms));
}

Differences differences(const Town& in, double edge_m) {
  const std::vector<DriveFrame> frames = drive_in_tiles(in, edge_m);
  const std::vector<DriveAnswer> ours = drive_with_adapter(frames), theirs = drive_with_autoware(frames);
  Differences out;
  const auto error = [&](const DriveAnswer& answer, std::size_t k) {
    return translation_error_m(adapters::transform_of(answer.pose), in.truth[k]);
  };
  for (std::size_t k = 0; k < frames.size(); ++k) {
    compare(ours[k], theirs[k], out);
    out.from_truth += error(ours[k], k), out.autowares_from_truth += error(theirs[k], k);
  }
  print(edge_m, out, ours, theirs);
  return out;
}

TEST(AutowareDrive, EveryCallAnswersAsAutowares) {
  const Differences worst = differences(town(), 20);
  EXPECT_GT(worst.changes, 10);
  // At the same pose: the last bits of a float, summed.
  EXPECT_LT(worst.cloud_probability.value, 1e-5);
  EXPECT_LT(worst.cloud_nvtl.value, 1e-5);
  EXPECT_LT(worst.point_score.value, 1e-4);
  EXPECT_LT(worst.left_out.value, 1e-30);
  // After an alignment: a point within 1 mm of a voxel's radius has its score, or not.
  EXPECT_LE(worst.iterations_differ, 1);
  EXPECT_LT(worst.metres.value, 1e-3);
  EXPECT_LT(worst.turn.value, 1e-4);
  EXPECT_LT(worst.probability.value, 0.01);
  EXPECT_LT(worst.nvtl.value, 0.01);
  EXPECT_LT(worst.hessian.value, 0.02);
  EXPECT_LT(worst.laplace.value, 0.01);
  EXPECT_LT(worst.multi.value, 1e-4);
  EXPECT_LT(worst.multi_score.value, 1e-4);
  EXPECT_LT(worst.adjusted.value, 1e-4);
}

// Autoware cuts a voxel in two at a tile's edge that is no multiple of the resolution, so its map differs.
TEST(AutowareDrive, TilesThatCutVoxelsLeaveThePoseAsGood) {
  const Differences worst = differences(town(), 25);
  EXPECT_LT(worst.metres.value, 0.1);
  EXPECT_LT(worst.from_truth, 1.1 * worst.autowares_from_truth);
}

// Autoware computes in float32 from the map's origin on, so its answers are coarser there.
TEST(AutowareDrive, FarFromTheOriginThePoseIsAsGood) {
  const Differences worst = differences(far_town(), 20);
  EXPECT_LT(worst.metres.value, 0.1);
  EXPECT_LT(worst.from_truth, 1.1 * worst.autowares_from_truth);
}

}  // namespace
}  // namespace ndt
