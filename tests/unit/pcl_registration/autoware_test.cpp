// Autoware's interface on this library. Tiles that come and go give an aligner's answers, bit for bit. A copy
// changes without the object that it was made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pcl/point_types.h>

#include <cstdlib>
#include <future>
#include <sstream>

#include "ndt/pcl/autoware_covariance.hpp"
#include "test_clouds.hpp"
#include "tiles.hpp"

namespace ndt {
namespace {

using Ndt = pclomp::MultiGridNormalDistributionsTransform<::pcl::PointXYZ, ::pcl::PointXYZ>;
using Scan = ::pcl::PointCloud<::pcl::PointXYZ>;

Scan::Ptr pcl_cloud(const std::vector<Point>& points) {
  Scan::Ptr out(new Scan);
  for (const Point& p : points) out->push_back({p.x, p.y, p.z});
  return out;
}

Scan::Ptr courtyard_scan() { return pcl_cloud(test_clouds::scan().points); }

Eigen::Matrix4f near_guess() {
  Eigen::Matrix4f out = Eigen::Matrix4f::Identity();
  out(0, 3) = 0.3F, out(1, 3) = -0.2F;
  return out;
}

pclomp::NdtParams node_params() {
  pclomp::NdtParams out;
  out.trans_epsilon = 0.01, out.step_size = 0.1, out.resolution = 2.0F, out.max_iterations = 30;
  out.search_method = pclomp::KDTREE, out.num_threads = 2, out.regularization_scale_factor = 0.01F;
  return out;
}

AlignOptions node_options() {
  AlignOptions options;
  options.threads = 2;
  options.regularisation_scale = static_cast<double>(0.01F);
  return options;
}

Tiles courtyard_tiles() { return cut(test_clouds::map(), 6); }

void add(Ndt& ndt, const Tiles& tiles) {
  for (const auto& [id, points] : tiles) ndt.addTarget(pcl_cloud(*points), "tile " + std::to_string(id));
}

Ndt ndt_on(const Tiles& tiles) {
  Ndt ndt;
  ndt.setImplementation("persistent_cpu");
  ndt.setParams(node_params());
  add(ndt, tiles);
  ndt.createVoxelKdtree();
  return ndt;
}

std::unique_ptr<Aligner> aligner_on(const Tiles& tiles, const AlignOptions& options = node_options()) {
  auto aligner = make_aligner("persistent_cpu", options);
  aligner->set_map(merged(tiles));
  return aligner;
}

pclomp::NdtResult aligned(Ndt& ndt) {
  Scan output;
  ndt.align(output, near_guess(), courtyard_scan());
  EXPECT_EQ(output.size(), test_clouds::scan().size());
  return ndt.getResult();
}

void expect_same(const pclomp::NdtResult& got, const AlignResult& want) {
  EXPECT_EQ(got.pose, adapters::matrix_of<float>(want.map_from_scan));
  EXPECT_EQ(got.hessian, adapters::matrix_of(want.hessian));
  EXPECT_EQ(got.iteration_num, want.iterations);
  EXPECT_EQ(got.transform_probability, static_cast<float>(want.transform_probability));
  EXPECT_EQ(got.nearest_voxel_transformation_likelihood, static_cast<float>(want.nvtl));
}

AlignResult expected_on(const Tiles& tiles, const AlignOptions& options = node_options(),
                        PerScan per_scan = {}) {
  return aligner_on(tiles, options)
      ->align(test_clouds::scan(), adapters::transform_of(near_guess()), per_scan);
}

TEST(Autoware, GivesTheBitsOfAnAlignerOnTheSamePoints) {
  Ndt ndt = ndt_on(courtyard_tiles());
  const pclomp::NdtResult got = aligned(ndt);
  PerScan traced;
  traced.trace = true;
  const AlignResult want = expected_on(courtyard_tiles(), node_options(), traced);
  expect_same(got, want);
  EXPECT_TRUE(ndt.hasConverged());
  ASSERT_EQ(got.transformation_array.size(), want.trace.size());
  EXPECT_EQ(got.transformation_array[0], near_guess());
  EXPECT_EQ(got.transformation_array.back(), got.pose);
  EXPECT_EQ(got.transform_probability_array.back(), got.transform_probability);
  EXPECT_EQ(got.nearest_voxel_transformation_likelihood_array.back(),
            got.nearest_voxel_transformation_likelihood);
  EXPECT_EQ(ndt.getVoxelPCD().size(), aligner_on(courtyard_tiles())->voxels().size());
  std::ostringstream log;
  log << got;
  EXPECT_NE(log.str().find("Iteration num: " + std::to_string(want.iterations)), std::string::npos);
}

TEST(Autoware, TilesComeAndGo) {
  Tiles tiles = courtyard_tiles();
  ASSERT_GT(tiles.size(), 4U);
  Ndt ndt = ndt_on(tiles);
  ndt.removeTarget("tile " + std::to_string(tiles.begin()->first));
  ndt.removeTarget("no such tile");
  EXPECT_EQ(ndt.getCurrentMapIDs().size(), tiles.size() - 1);
  expect_same(aligned(ndt), expected_on(tiles));  // until the map is made
  ndt.createVoxelKdtree();
  const auto gone = tiles.extract(tiles.begin());
  expect_same(aligned(ndt), expected_on(tiles));
  ndt.addTarget(pcl_cloud(*gone.mapped()), "tile " + std::to_string(gone.key()));
  ndt.createVoxelKdtree();
  EXPECT_NE(aligned(ndt).pose, adapters::matrix_of<float>(expected_on(tiles).map_from_scan));
}

TEST(Autoware, ATileTakesThePlaceOfThatWithItsId) {
  Ndt ndt = ndt_on(courtyard_tiles());
  for (const std::string& id : ndt.getCurrentMapIDs()) ndt.removeTarget(id);
  EXPECT_FALSE(ndt.hasTarget());
  ndt.setInputTarget(pcl_cloud({{1, 2, 3}}));
  ndt.setInputTarget(pcl_cloud(test_clouds::map().points));
  EXPECT_THAT(ndt.getCurrentMapIDs(), testing::ElementsAre("default"));
  expect_same(aligned(ndt), expected_on(shared({{1, test_clouds::map().points}})));
}

TEST(Autoware, ACopyChangesBesideAlignmentsOfTheFirst) {
  const Tiles all = courtyard_tiles();
  Tiles fewer = all;
  fewer.erase(fewer.begin());
  const std::string id = "tile " + std::to_string(all.begin()->first);
  Ndt first = ndt_on(all);
  Ndt second = first;
  const AlignResult on_all = expected_on(all), on_fewer = expected_on(fewer);
  for (int round = 0; round < 5; ++round) {
    auto changed = std::async(std::launch::async, [&] {
      if (round % 2 == 0) {
        second.removeTarget(id);
      } else {
        second.addTarget(pcl_cloud(*all.begin()->second), id);
      }
      second.createVoxelKdtree();
      return aligned(second);
    });
    for (int k = 0; k < 3; ++k) expect_same(aligned(first), on_all);
    const double nvtl = first.calculateNearestVoxelTransformationLikelihood(*courtyard_scan());
    const pclomp::NdtResult on_second = changed.get();
    if (round % 2 == 0) expect_same(on_second, on_fewer);
    EXPECT_EQ(nvtl, first.calculateNearestVoxelTransformationLikelihood(*courtyard_scan()));
  }
  first = second;
  expect_same(aligned(first), on_fewer);
}

TEST(Autoware, CopiesThatBothChangeKeepTheirOwnTiles) {
  const Tiles all = courtyard_tiles();
  Ndt first = ndt_on(all), second = first;
  first.removeTarget("tile " + std::to_string(all.begin()->first));
  second.removeTarget("tile " + std::to_string(all.rbegin()->first));
  Tiles without_first = all, without_last = all;
  without_first.erase(all.begin()->first);
  without_last.erase(all.rbegin()->first);
  for (int round = 0; round < 2; ++round) {
    first.createVoxelKdtree();
    second.createVoxelKdtree();
    expect_same(aligned(first), expected_on(without_first));
    expect_same(aligned(second), expected_on(without_last));
  }
}

TEST(Autoware, EveryParameterReachesTheOptions) {
  pclomp::NdtParams params = node_params();
  params.trans_epsilon = 0.001, params.step_size = 0.2, params.resolution = 1.0F, params.max_iterations = 3;
  params.num_threads = 0, params.regularization_scale_factor = 0.5F, params.use_line_search = true;
  Ndt ndt = ndt_on(courtyard_tiles());
  ndt.setParams(params);  // the tiles stay
  Eigen::Matrix4f gnss = Eigen::Matrix4f::Identity();
  gnss(0, 3) = 2;
  ndt.setRegularizationPose(gnss);

  AlignOptions options;
  options.epsilon_m = 0.001, options.step_m = 0.2, options.resolution_m = 1, options.max_iterations = 3;
  options.threads = 1, options.regularisation_scale = 0.5, options.line_search = LineSearch::more_thuente;
  PerScan per_scan;
  per_scan.regularisation = RegularisationTarget{2, 0};
  const AlignResult pulled = expected_on(courtyard_tiles(), options, per_scan);
  expect_same(aligned(ndt), pulled);
  EXPECT_EQ(ndt.getMaximumIterations(), 3);
  EXPECT_FALSE(ndt.hasConverged()) << "the limit of three iterations came first";
  ndt.unsetRegularizationPose();
  expect_same(aligned(ndt), expected_on(courtyard_tiles(), options));

  params.resolution = 0;
  EXPECT_THROW(ndt.setParams(params), std::invalid_argument);
  EXPECT_EQ(ndt.getParams().resolution, 1.0F);
}

TEST(Autoware, ScoresCloudsOfTheMapsFrame) {
  const Ndt ndt = ndt_on(courtyard_tiles());
  Scan cloud = *courtyard_scan();
  cloud.push_back({900, 0, 0});  // has no voxel
  cloud.insert(cloud.begin(), {NAN, 0, 0});
  PointCloud same = test_clouds::scan();
  same.points.push_back({900, 0, 0});
  PerScan with_points;
  with_points.point_scores = true;
  const Evaluation want = aligner_on(courtyard_tiles())->evaluate(same, Transform(), with_points);
  EXPECT_EQ(ndt.calculateTransformationProbability(cloud), want.transform_probability);
  EXPECT_EQ(ndt.calculateNearestVoxelTransformationLikelihood(cloud), want.nvtl);

  const auto scores = ndt.calculateNearestVoxelScoreEachPoint(cloud);
  std::size_t next = 0;
  for (std::size_t i = 0; i < same.size(); ++i) {
    if (want.point_scores[i] == 0) continue;
    ASSERT_LT(next, scores.size());
    EXPECT_EQ(scores[next].x, same.points[i].x);
    EXPECT_EQ(scores[next++].intensity, want.point_scores[i]);
  }
  EXPECT_EQ(next, scores.size());
  EXPECT_LT(next, same.size());
}

TEST(Autoware, APointFarBeyondAllOthersHasNoScoreAndMovesNone) {
  const Ndt ndt = ndt_on(courtyard_tiles());
  Scan cloud = *courtyard_scan();
  const auto without = ndt.calculateNearestVoxelScoreEachPoint(cloud);
  cloud.insert(cloud.begin(), {1e30F, 0, 0});
  const auto with = ndt.calculateNearestVoxelScoreEachPoint(cloud);
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].x, without[i].x);
    EXPECT_EQ(with[i].intensity, without[i].intensity);
  }
}

TEST(Autoware, AMapWithoutAVoxelGivesTheGuessBack) {
  Ndt ndt = ndt_on(shared({{1, {{1, 2, 3}}}}));
  EXPECT_TRUE(ndt.hasTarget());
  const pclomp::NdtResult got = aligned(ndt);
  EXPECT_EQ(got.pose, near_guess());
  EXPECT_EQ(got.iteration_num, 0);
  EXPECT_EQ(got.transformation_array.size(), 1U);
  EXPECT_FALSE(ndt.hasConverged());
  EXPECT_EQ(ndt.calculateTransformationProbability(*courtyard_scan()), 0);
  EXPECT_EQ(ndt.calculateNearestVoxelScoreEachPoint(*courtyard_scan()).size(), 0U);
  add(ndt, courtyard_tiles());
  ndt.createVoxelKdtree();
  EXPECT_GT(aligned(ndt).iteration_num, 0);
  EXPECT_EQ(Ndt().getVoxelPCD().size(), 0U);
}

TEST(Autoware, TheScanMayBeGivenBefore) {
  Ndt ndt = ndt_on(courtyard_tiles());
  Scan output;
  EXPECT_THROW(ndt.align(output, near_guess()), std::logic_error);
  ndt.setInputSource(courtyard_scan());
  ndt.align(output, near_guess());
  expect_same(ndt.getResult(), expected_on(courtyard_tiles()));
  const Eigen::Vector4f moved = ndt.getFinalTransformation() * courtyard_scan()->at(7).getVector4fMap();
  EXPECT_NEAR(output[7].x, moved.x(), 1e-4);
}

TEST(Autoware, TheImplementationIsChosenByName) {
  setenv("NDT_IMPLEMENTATION", "no_such_name", 1);
  Ndt ndt;
  unsetenv("NDT_IMPLEMENTATION");
  EXPECT_THROW(ndt.setInputTarget(pcl_cloud(test_clouds::map().points)), std::invalid_argument);
  ndt.setImplementation("cpu_pclomp_ref");
  EXPECT_THROW(ndt.createVoxelKdtree(), std::invalid_argument) << "keeps no tiles";
  ndt.setImplementation("auto");
  ndt.createVoxelKdtree();
  EXPECT_GT(aligned(ndt).iteration_num, 0);
}

TEST(AutowareCovariance, IsThatOfAlignmentsAndScoresOneByOne) {
  Ndt ndt = ndt_on(courtyard_tiles());
  const pclomp::NdtResult result = aligned(ndt);
  const auto beside = pclomp::propose_poses_to_search(result, {0.2, 0, -0.2}, {0, 0.3, 0});
  const auto multi = estimate_xy_covariance_by_multi_ndt(result, ndt, beside, courtyard_scan());
  const auto by_score = estimate_xy_covariance_by_multi_ndt_score(result, ndt, beside, courtyard_scan(), 0.1);
  ASSERT_EQ(multi.ndt_results.size(), 3U);
  EXPECT_EQ(ndt.getResult().pose, multi.ndt_results[2].pose);

  std::vector<Eigen::Vector2d> ends{autoware::detail::xy_of(result.pose)}, starts = ends;
  std::vector<double> nvtl{static_cast<double>(result.nearest_voxel_transformation_likelihood)};
  for (std::size_t k = 0; k < 3; ++k) {
    Scan output;
    ndt.align(output, beside[k], courtyard_scan());
    EXPECT_EQ(ndt.getFinalTransformation(), multi.ndt_results[k].pose);
    ends.push_back(autoware::detail::xy_of(ndt.getFinalTransformation()));
    ::pcl::transformPointCloud(*courtyard_scan(), output, beside[k]);
    nvtl.push_back(ndt.calculateNearestVoxelTransformationLikelihood(output));
    EXPECT_NEAR(static_cast<double>(by_score.ndt_results[k].nearest_voxel_transformation_likelihood),
                nvtl.back(), 1e-5);
    starts.push_back(autoware::detail::xy_of(beside[k]));
  }
  const auto [mean, covariance] = pclomp::calculate_weighted_mean_and_cov(ends, {0.25, 0.25, 0.25, 0.25});
  EXPECT_TRUE(multi.mean.isApprox(mean, 1e-12));
  EXPECT_TRUE(multi.covariance.isApprox(covariance * 3 / 4, 1e-12));
  const auto weighted = pclomp::calculate_weighted_mean_and_cov(starts, pclomp::calc_weight_vec(nvtl, 0.1));
  EXPECT_TRUE(by_score.covariance.isApprox(weighted.second, 1e-4));
  EXPECT_TRUE(by_score.mean.isApprox(weighted.first, 1e-4));
}

TEST(AutowareCovariance, TurnsAndRaisesVariances) {
  Eigen::Matrix4f quarter = Eigen::Matrix4f::Identity();
  quarter.topLeftCorner<2, 2>() << 0, -1, 1, 0;
  Eigen::Matrix2d covariance;
  covariance << 4, 0.5, 0.5, 1;
  const Eigen::Matrix2d along = pclomp::rotate_covariance_to_base_link(covariance, quarter);
  EXPECT_EQ(along(0, 0), 1);
  EXPECT_EQ(along(1, 1), 4);
  EXPECT_EQ(along(0, 1), -0.5);
  EXPECT_EQ(pclomp::rotate_covariance_to_map(along, quarter), covariance);
  const Eigen::Matrix2d raised = pclomp::adjust_diagonal_covariance(covariance, quarter, 2, 3);
  EXPECT_EQ(raised(0, 0), 4);
  EXPECT_EQ(raised(1, 1), 2);

  Eigen::Matrix<double, 6, 6> hessian = Eigen::Matrix<double, 6, 6>::Zero();
  hessian.topLeftCorner<2, 2>() << -4, 0, 0, -2;
  EXPECT_EQ(pclomp::estimate_xy_covariance_by_laplace_approximation(hessian)(0, 0), 0.25);
  EXPECT_EQ(pclomp::estimate_xy_covariance_by_laplace_approximation(hessian)(1, 1), 0.5);
  pclomp::NdtResult result;
  result.pose = quarter;
  EXPECT_FLOAT_EQ(pclomp::propose_poses_to_search(result, {2}, {0})[0](1, 3), 2);
  EXPECT_THROW(pclomp::propose_poses_to_search(result, {2}, {}), std::invalid_argument);
  EXPECT_THAT(pclomp::calc_weight_vec({}, 1), testing::IsEmpty());
}

}  // namespace
}  // namespace ndt
