// This library behind PCL's own interface: takes the place of pcl::NormalDistributionsTransform and of
// pclomp's class of the same name, with their setters, defaults and units. Needs PCL 1.10 or newer;
// header-only.
//
// Three things differ from PCL. hasConverged() is true only if the scan fixes the pose and its optimum is
// well conditioned (Stop::converged), not at the iteration limit. setTransformationEpsilon() is the length of
// a step, as in pclomp; PCL takes it for the length's square. align() throws ndt::InputError for a target
// without a voxel, and std::invalid_argument for a guess that is not rigid or an option out of range.
#pragma once

#include <pcl/common/transforms.h>
#include <pcl/registration/registration.h>

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "ndt/implementations.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt {

inline namespace pclomp_names {
/// As pclomp names them; DIRECT26 takes all 27 cells, as it does there.
enum NeighborSearchMethod { KDTREE, DIRECT26, DIRECT7, DIRECT1 };
}  // namespace pclomp_names

/// PCL's types as this library's.
namespace adapters {

/// The points of a cloud, without its other fields.
template <class Point>
PointCloud cloud_of(const ::pcl::PointCloud<Point>& cloud) {
  PointCloud out;
  out.points.reserve(cloud.size());
  for (const Point& p : cloud) out.points.push_back({p.x, p.y, p.z});
  return out;
}

/// A pose, as a Transform.
template <class Scalar>
Transform transform_of(const Eigen::Matrix<Scalar, 4, 4>& pose) {
  Transform out;
  for (int row = 0; row < 4; ++row)
    for (int col = 0; col < 4; ++col) out(row, col) = static_cast<double>(pose(row, col));
  return out;
}

/// Inverse, rounded to PCL's scalar.
template <class Scalar>
Eigen::Matrix<Scalar, 4, 4> matrix_of(const Transform& pose) {
  return Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(pose.m).template cast<Scalar>();
}

/// A 6x6 as Eigen has it.
inline Eigen::Matrix<double, 6, 6> matrix_of(const Mat6& matrix) {
  return Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(matrix.m);
}

/// The target that pulls the pose, at a pose's x and y.
inline RegularisationTarget target_at(const Eigen::Matrix4f& pose) {
  return {static_cast<double>(pose(0, 3)), static_cast<double>(pose(1, 3))};
}

}  // namespace adapters

/// A pcl::Registration by an implementation of this library. For one thread at a time; a copy makes its own
/// aligner.
template <class PointSource, class PointTarget, class Scalar = float>
class NormalDistributionsTransform : public ::pcl::Registration<PointSource, PointTarget, Scalar> {
  using Base = ::pcl::Registration<PointSource, PointTarget, Scalar>;

 public:
  using Ptr = std::shared_ptr<NormalDistributionsTransform>;                 ///< as PCL has it
  using ConstPtr = std::shared_ptr<const NormalDistributionsTransform>;      ///< as PCL has it
  using PointCloudSource = typename Base::PointCloudSource;                  ///< type of the scan
  using PointCloudTargetConstPtr = typename Base::PointCloudTargetConstPtr;  ///< type of the map
  using Matrix4 = typename Base::Matrix4;                                    ///< type of poses

  /// `implementation`: a name of ndt::implementations(), or "auto" for the fastest that can run here.
  explicit NormalDistributionsTransform(std::string implementation = "auto")
      : implementation_(std::move(implementation)) {
    this->reg_name_ = "NormalDistributionsTransform";
    options_.resolution_m = 1.0;
    this->transformation_epsilon_ = 0.1;
    this->max_iterations_ = 35;
  }

  /// Takes the map; its voxels are made by the next call that needs them.
  void setInputTarget(const PointCloudTargetConstPtr& cloud) override {
    Base::setInputTarget(cloud);
    forget();
  }

  /// Voxel edge [m].
  void setResolution(float metres) { change(options_.resolution_m, static_cast<double>(metres)); }
  /// [m].
  float getResolution() const { return static_cast<float>(options_.resolution_m); }
  void setStepSize(double metres) { change(options_.step_m, metres); }  ///< longest step [m]
  double getStepSize() const { return options_.step_m; }                ///< [m]
  /// Magnusson's outlier share.
  void setOutlierRatio(double ratio) { change(options_.outlier_ratio, ratio); }
  double getOutlierRatio() const { return options_.outlier_ratio; }       ///< the same
  void setOulierRatio(double ratio) { setOutlierRatio(ratio); }           ///< PCL's and pclomp's spelling
  double getOulierRatio() const { return getOutlierRatio(); }             ///< the same
  void setNumThreads(int threads) { change(options_.threads, threads); }  ///< 0: one per core
  int getNumThreads() const { return options_.threads; }                  ///< CPU workers; 0: one per core
  int getMaximumIterations() const { return this->max_iterations_; }      ///< the limit
  /// The voxels that a point is scored against.
  void setNeighborhoodSearchMethod(NeighborSearchMethod method) {
    constexpr Neighbours kOurs[] = {Neighbours::radius, Neighbours::direct27, Neighbours::direct7,
                                    Neighbours::direct1};
    change(options_.neighbours, kOurs[method]);
  }
  /// Everything that has no setter above; takes the place of what setters set before.
  void setOptions(const AlignOptions& options) {
    options_ = options;
    this->transformation_epsilon_ = options.epsilon_m;
    this->max_iterations_ = options.max_iterations;
    forget();
  }

  /// Pulls the pose along the vehicle's heading towards this one's x and y.
  void setRegularizationPose(const Eigen::Matrix4f& pose) { regularisation_ = adapters::target_at(pose); }
  void unsetRegularizationPose() { regularisation_.reset(); }  ///< nothing pulls any more
  /// How strongly it pulls.
  void setRegularizationScaleFactor(float weight) {
    change(options_.regularisation_scale, static_cast<double>(weight));
  }

  // The results of the last alignment.
  int getFinalNumIteration() const { return result_.iterations; }  ///< Newton steps
  /// Score over points.
  double getTransformationProbability() const { return result_.transform_probability; }
  /// Pclomp's name of it.
  double getTransformationLikelihood() const { return result_.transform_probability; }
  /// NVTL.
  double getNearestVoxelTransformationLikelihood() const { return result_.nvtl; }
  /// The Hessian of the score; x y z roll pitch yaw.
  Eigen::Matrix<double, 6, 6> getHessian() const { return adapters::matrix_of(result_.hessian); }
  const AlignResult& getResult() const { return result_; }  ///< everything else
  /// Whether the last alignment can be trusted, why not, and its 6x6 covariance in the order of ROS. Aligns
  /// six times more; the first call for a target also copies its points. Throws std::logic_error unless
  /// align() was called with the target and the options as they are, and as align() does.
  initial_pose::PoseJudgement judge() {
    Aligner& aligner = ready();
    if (!scan_)
      throw std::logic_error("judge: nothing was aligned with this target and options: call align() first");
    if (!judge_)
      judge_ =
          std::make_shared<const initial_pose::Judge>(aligner, adapters::cloud_of(*this->target_), options_);
    return (*judge_)(aligner, *scan_, result_);
  }

  // The scores of a cloud that is in the target's frame already.
  /// Score over points. Throws as align() does.
  double calculateTransformationProbability(const PointCloudSource& cloud) {
    return evaluate(cloud).transform_probability;
  }
  /// NVTL. Throws as align() does.
  double calculateNearestVoxelTransformationLikelihood(const PointCloudSource& cloud) {
    return evaluate(cloud).nvtl;
  }

 protected:
  /// `output` comes with the source's points in their own frame, those of its indices alone.
  void computeTransformation(PointCloudSource& output, const Matrix4& guess) override {
    Aligner& aligner = ready();
    PerScan per_scan;
    per_scan.regularisation = regularisation_;
    scan_ = adapters::cloud_of(output);
    result_ = aligner.align(*scan_, adapters::transform_of<Scalar>(guess), per_scan);
    this->final_transformation_ = adapters::matrix_of<Scalar>(result_.map_from_scan);
    this->transformation_ = this->previous_transformation_ = this->final_transformation_;
    this->nr_iterations_ = result_.iterations;
    this->converged_ = result_.stop == Stop::converged;
    ::pcl::transformPointCloud(output, output, this->final_transformation_);
  }

 private:
  /// Null: to be made. A copy makes its own, because an aligner is for one thread.
  struct Made : std::unique_ptr<Aligner> {
    using std::unique_ptr<Aligner>::unique_ptr;
    Made() = default;
    Made(const Made&) : std::unique_ptr<Aligner>() {}
    Made& operator=(const Made&) { return this->reset(), *this; }
  };

  /// The target or the options have changed.
  void forget() {
    aligner_.reset();
    judge_.reset();
    scan_.reset();
  }

  template <class Value>
  void change(Value& member, Value value) {
    if (member == value) return;
    member = value;
    forget();
  }

  /// The aligner of the options and the target as they are now.
  Aligner& ready() {
    change(options_.epsilon_m, static_cast<double>(this->transformation_epsilon_));
    change(options_.max_iterations, this->max_iterations_);
    if (aligner_) return *aligner_;
    if (!this->target_) throw std::logic_error("no target: call setInputTarget() first");
    std::unique_ptr<Aligner> made = make_aligner(implementation_, options_);
    made->set_map(adapters::cloud_of(*this->target_));
    aligner_.reset(made.release());
    return *aligner_;
  }

  Evaluation evaluate(const PointCloudSource& cloud) {
    return ready().evaluate(adapters::cloud_of(cloud), Transform());
  }

  std::string implementation_;
  AlignOptions options_;
  std::optional<RegularisationTarget> regularisation_;
  Made aligner_;
  std::shared_ptr<const initial_pose::Judge> judge_;  // null: to be made
  std::optional<PointCloud> scan_;  // of the last alignment; nothing: none with this target and options
  AlignResult result_;
};

}  // namespace ndt

/// `pclomp::DIRECT7` keeps its name. Where pclomp's own headers are included as well, theirs win.
namespace pclomp {
using namespace ndt::pclomp_names;
}
