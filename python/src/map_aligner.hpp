// An aligner with its map, as Python has it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "ndt/implementations.hpp"
#include "ndt/initial_pose/verdict.hpp"
#include "ndt/named_options.hpp"
#include "scores.hpp"

namespace ndt::python {

using Position = std::optional<std::pair<double, double>>;

inline AlignOptions options_from(const nb::kwargs& given) {
  AlignOptions options;
  if (given.contains("profile")) options = profile_named(value_text(given["profile"], "profile"));
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (name != "profile") set_option(options, name, value_text(value, name));
  }
  return options;
}

inline PerScan per_scan_from(const Position& regularisation, const std::optional<double>& timeout_ms,
                             bool trace) {
  PerScan out;
  if (regularisation)
    out.regularisation = RegularisationTarget{regularisation->first, regularisation->second};
  if (timeout_ms) {
    if (!(*timeout_ms > 0 && *timeout_ms <= 24 * 3600 * 1000.0))
      throw nb::value_error("timeout_ms: give milliseconds above 0, up to a day");
    out.deadline =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double, std::milli>(*timeout_ms));
  }
  out.trace = trace;
  return out;
}

/// The interpreter's lock is given up wherever the library works.
class MapAligner {
 public:
  MapAligner(nb::handle map, const std::string& implementation, const nb::kwargs& given) {
    options_ = options_from(given);
    const Cloud cloud = any_cloud_from(map, "map");
    nb::gil_scoped_release free;
    aligner_ = make_aligner(implementation, options_);
    use(cloud);
  }

  void set_map(nb::handle map) {
    const Cloud cloud = any_cloud_from(map, "map");
    nb::gil_scoped_release free;
    use(cloud);
  }

  AlignResult align(nb::handle scan, nb::handle guess, const Position& regularisation,
                    const std::optional<double>& timeout_ms, bool trace) {
    const Cloud cloud = any_cloud_from(scan, "scan");
    const Transform start = transform_from(guess, "guess");
    const PerScan per_scan = per_scan_from(regularisation, timeout_ms, trace);
    nb::gil_scoped_release free;
    return cloud.visit([&](const auto& points) { return aligner_->align(points, start, per_scan); });
  }

  std::vector<AlignResult> align_batch(nb::handle scan, nb::handle guesses, const Position& regularisation,
                                       const std::optional<double>& timeout_ms, bool trace) {
    const Cloud cloud = any_cloud_from(scan, "scan");
    const std::vector<Transform> starts = transforms_from(guesses, "guesses");
    const PerScan per_scan = per_scan_from(regularisation, timeout_ms, trace);
    std::vector<AlignResult> results(starts.size());
    nb::gil_scoped_release free;
    cloud.visit([&](const auto& points) { aligner_->align_batch(points, starts, results, per_scan); });
    return results;
  }

  Scores score(nb::handle scan, nb::handle poses) {
    const Cloud cloud = any_cloud_from(scan, "scan");
    const std::vector<Transform> at = transforms_from(poses, "poses");
    Scores out{std::vector<Score>(at.size())};
    nb::gil_scoped_release free;
    cloud.visit([&](const auto& points) { aligner_->score_batch(points, at, out.all); });
    return out;
  }

  Evaluation evaluate(nb::handle scan, nb::handle pose, bool point_scores) {
    const Cloud cloud = any_cloud_from(scan, "scan");
    const Transform at = transform_from(pose, "pose");
    PerScan per_scan;
    per_scan.point_scores = point_scores;
    nb::gil_scoped_release free;
    return cloud.visit([&](const auto& points) { return aligner_->evaluate(points, at, per_scan); });
  }

  void expect_scan() {
    nb::gil_scoped_release free;
    aligner_->expect_scan();
  }

  nb::dict voxels() const {
    std::vector<VoxelInfo> all;
    {
      nb::gil_scoped_release free;
      all = aligner_->voxels();
    }
    std::vector<std::int64_t> points;
    std::vector<double> means, covariances;
    for (const VoxelInfo& v : all) {
      points.push_back(v.points);
      means.insert(means.end(), {v.mean.x, v.mean.y, v.mean.z});
      const Sym3<double>& c = v.covariance;
      covariances.insert(covariances.end(), {c.xx, c.xy, c.xz, c.xy, c.yy, c.yz, c.xz, c.yz, c.zz});
    }
    nb::dict out;
    out["points"] = new_array(points.data(), {all.size()});
    out["mean"] = new_array(means.data(), {all.size(), 3});
    out["covariance"] = new_array(covariances.data(), {all.size(), 3, 3});
    return out;
  }

  const MapInfo& info() const { return info_; }
  const AlignOptions& options() const { return options_; }
  const initial_pose::OwnScores& own_scores() const { return own_scores_; }
  Aligner& aligner() { return *aligner_; }

 private:
  void use(const Cloud& map) {
    map.visit([&](const auto& points) {
      info_ = aligner_->set_map(points);
      own_scores_ = initial_pose::own_scores(*aligner_, points);
    });
  }

  std::unique_ptr<Aligner> aligner_;
  AlignOptions options_;
  MapInfo info_;
  initial_pose::OwnScores own_scores_;
};

}  // namespace ndt::python
