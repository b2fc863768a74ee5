// Every switch of the registration, with its default, unit and bounds. No implementation ignores an option silently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ndt {

/// Voxels a point is scored against.
enum class Neighbours {
  radius,   ///< all voxels whose centroid is nearer than the resolution (the reference)
  direct1,  ///< the point's own voxel
  direct7,  ///< its own and the six face neighbours
  direct27  ///< all 3x3x3 cells, no distance test
};

enum class LineSearch { off, more_thuente, batched };

/// Step ratios tried by LineSearch::batched.
enum class StepRatios {
  fixed8,       ///< 1, .75, .618, .5, .382, .25, .125, .0625
  golden_ratio  ///< 0.618^k
};

/// What the second-moment accumulator of a voxel starts from. identity gives the sample covariance + I/(n-1) m^2.
enum class CovarianceStart { identity, zero };

/// What to do when -H is not positive definite.
enum class NewtonStep {
  reference,  ///< minimum-norm solve of H, reversed if it points downhill (what the reference's SVD does)
  damped      ///< -H + lambda I with growing lambda
};

struct AlignOptions {
  double resolution_m = 2.0;       ///< voxel edge and neighbour radius, [0.001, 1000]
  double step_m = 0.1;             ///< longest step, norm over metres and radians, (0, 100]
  double epsilon_m = 0.01;         ///< stop when a step is shorter, (0, 10]
  int max_iterations = 30;         ///< [1, 1000]
  double outlier_ratio = 0.55;     ///< Magnusson's outlier share, (0, 1)
  int min_points = 6;              ///< points a voxel needs, [3, 1000000]
  double eigenvalue_ratio = 0.01;  ///< smallest allowed eigenvalue over the largest, [0, 1]
  Neighbours neighbours = Neighbours::radius;
  LineSearch line_search = LineSearch::off;
  StepRatios step_ratios = StepRatios::fixed8;
  CovarianceStart covariance_start = CovarianceStart::identity;
  NewtonStep newton_step = NewtonStep::reference;
  double regularisation_scale = 0.01;  ///< weight of the longitudinal pull; acts only with a PerScan target, [0, 1000]
  int threads = 0;                     ///< CPU rows: workers, 0 = one per core, [0, 256]

  /// Today's Autoware as shipped.
  static AlignOptions autoware() { return {}; }
  /// Unbiased covariance and a damped Newton step.
  static AlignOptions textbook() {
    AlignOptions options;
    options.covariance_start = CovarianceStart::zero;
    options.newton_step = NewtonStep::damped;
    return options;
  }
};

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>" for the first option out of range or NaN.
void validate(const AlignOptions& options);

/// Names as the command line spells them.
std::string_view to_string(Neighbours value);
std::string_view to_string(LineSearch value);
std::string_view to_string(StepRatios value);
std::string_view to_string(CovarianceStart value);
std::string_view to_string(NewtonStep value);

/// All values of an enumeration in declaration order, for parsers and lists.
std::vector<Neighbours> all_neighbours();
std::vector<LineSearch> all_line_searches();
std::vector<StepRatios> all_step_ratios();
std::vector<CovarianceStart> all_covariance_starts();

}  // namespace ndt
