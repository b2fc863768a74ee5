#include "ndt/harness/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden_datasets.hpp"
#include "ndt/core/error.hpp"
#include "ndt/harness/courtyard.hpp"
#include "ndt/harness/unknown_name.hpp"

namespace ndt::harness {
namespace {

/// Guesses around the truth: metres and radians, at most 0.5 m and 5 degrees.
constexpr Pose kPerturbations[] = {
    {0.000, 0.000, 0.000, 0.000, 0.000, 0.000},      //
    {0.180, -0.110, 0.040, 0.010, -0.008, 0.030},    //
    {-0.260, 0.200, -0.060, -0.014, 0.012, -0.041},  //
    {0.050, 0.330, 0.090, 0.006, 0.019, 0.052},      //
    {-0.340, -0.150, 0.110, 0.021, -0.005, 0.017},   //
    {0.290, 0.290, -0.120, -0.009, -0.022, -0.066},  //
    {0.440, -0.080, 0.070, -0.018, 0.016, 0.008},    //
    {-0.120, -0.460, -0.100, 0.013, 0.009, -0.079},  //
};

struct Scene {
  const char* name;
  const char* description;
  int scan_points;
  bool far;
};
constexpr Scene kScenes[] = {
    {"courtyard", "built-in: walled courtyard, map 30,000 points, scan 3,000, 8 guesses within 0.5 m and 5 degrees",
     3000, false},
    {"courtyard_5k", "built-in: the same with a scan of 5,000 points", 5000, false},
    {"courtyard_far", "built-in: courtyard with its map 95 km away (81377, 49916, 40), as in a metric grid zone", 3000,
     true},
};

Dataset make(const Scene& scene) {
  Dataset dataset;
  dataset.name = scene.name;
  dataset.description = scene.description;
  const Vec3<double> at = scene.far ? Vec3<double>{81377, 49916, 40} : Vec3<double>{};
  dataset.map = scene.far ? courtyard_map_far() : courtyard_map();
  dataset.scan = courtyard_scan(scene.scan_points);
  dataset.truth = to_transform(Pose{at.x, at.y, at.z});
  for (const Pose& p : kPerturbations)
    dataset.guesses.push_back({fmt::format("guess{}", dataset.guesses.size()),
                               to_transform(Pose{p.x + at.x, p.y + at.y, p.z + at.z, p.roll, p.pitch, p.yaw})});
  return dataset;
}

}  // namespace

std::vector<DatasetInfo> list_datasets() {
  std::vector<DatasetInfo> infos;
  for (const Scene& scene : kScenes) infos.push_back({scene.name, scene.description, ""});
  for (DatasetInfo& info : list_golden_datasets()) infos.push_back(std::move(info));
  return infos;
}

Dataset load_dataset(std::string_view name) {
  for (const Scene& scene : kScenes)
    if (scene.name == name) return make(scene);
  std::vector<std::string> names;
  for (const DatasetInfo& info : list_datasets()) {
    names.push_back(info.name);
    if (info.name != name) continue;
    if (!info.unavailable_reason.empty())
      throw InputError(fmt::format("dataset {} is not available: {}", name, info.unavailable_reason));
    return load_golden_dataset(name);
  }
  throw unknown_name("dataset", name, names);
}

}  // namespace ndt::harness
