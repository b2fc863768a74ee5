#include "golden.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "base/io_names.hpp"
#include "data/courtyard.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::golden {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json load(const std::string& name) {
  const std::string path = find_file(name);
  if (path.empty()) return json::object();
  return json::parse(std::ifstream(path));
}

Transform transform_from(const json& j) {
  Transform t;
  for (std::size_t i = 0; i < 16; ++i) t.m[i] = j.at(i).get<double>();
  return t;
}

Mat6 mat6_from(const json& j) {
  Mat6 h;
  for (std::size_t i = 0; i < 36; ++i) h.m[i] = j.at(i).get<double>();
  return h;
}

const PointCloud* cloud(const std::string& name) {
  static std::map<std::string, PointCloud> clouds;
  const auto found = clouds.find(name);
  if (found != clouds.end()) return &found->second;
  if (name == "courtyard_map") return &(clouds[name] = harness::courtyard_map());
  if (name == "courtyard_scan") return &(clouds[name] = harness::courtyard_scan());
  if (name == "courtyard_map_far") return &(clouds[name] = harness::courtyard_map_far());
  return &(clouds[name] = harness::read_pcd(find_file(name)));
}

/// Fills what every kind of case has. `cases` is null for the courtyard, whose records name their map.
void fill(Case& c, const json& record, const json* cases, const std::string& guess_key) {
  if (cases != nullptr) {
    const std::string name = record.at("case");
    const json& entry = cases->at(name);
    c.map = cloud(entry.at("map"));
    c.scan = cloud(entry.at("scan"));
    c.name = name;
    c.far_origin = name.ends_with("_mgrs");
  } else {
    c.name = record.at("map");
    c.map = cloud(c.name);
    c.scan = cloud("courtyard_scan");
    c.far_origin = c.name.ends_with("_far");
  }
  c.options.resolution_m = record.at("resolution");
  c.name += " " + record.at(guess_key).get<std::string>() + " " +
            std::to_string(static_cast<int>(c.options.resolution_m)) + " m";
  if (record.contains("regularization") && !record["regularization"].is_null()) {
    const json& r = record["regularization"];
    c.options.regularisation_scale = r.at("scale");
    c.per_scan.regularisation = RegularisationTarget{r.at("x"), r.at("y")};
    c.name += " regularised";
  }
}

Run run_from(const json& j, const json* cases, const json& guesses) {
  Run r;
  fill(r, j, cases, "guess");
  r.guess = transform_from(guesses.at(j.at("guess").get<std::string>()));
  r.pose = transform_from(j.at("pose"));
  r.iterations = j.at("iterations");
  r.score = j.at("score");
  r.transform_probability = j.at("transformation_probability");
  r.nvtl = j.at("nvtl");
  r.voxels = j.at("n_voxels");
  r.hessian = mat6_from(j.at("hessian"));
  if (j.contains("oscillation_count")) r.oscillation_count = j["oscillation_count"].get<int>();
  return r;
}

EvaluationCase evaluation_from(const json& j, const json* cases) {
  EvaluationCase e;
  fill(e, j, cases, "pose_id");
  e.pose = transform_from(j.at("pose"));
  const json& p = j.at("p_xyz_rpy");
  e.derivative_pose = {p[0], p[1], p[2], p[3], p[4], p[5]};
  e.score = j.at("score");
  e.transform_probability = j.at("tp");
  e.nvtl = j.at("nvtl");
  e.pairs = j.at("n_point_voxel_pairs");
  e.points_with_voxels = j.at("n_points_with_voxels");
  for (int i = 0; i < 6; ++i) e.gradient[i] = j.at("gradient").at(static_cast<std::size_t>(i));
  e.hessian = mat6_from(j.at("hessian"));
  return e;
}

TraceCase trace_from(const json& j, const json* cases, const json& guesses) {
  TraceCase t;
  fill(t, j, cases, "guess");
  t.guess = transform_from(guesses.at(j.at("guess").get<std::string>()));
  // Regularised traces name their target in the label: "..._regularized_scale0.01_pose(0.9 0.3 0)".
  const std::string label = j.at("peer");
  RegularisationTarget target;
  if (const auto at = label.find("scale"); at != std::string::npos) {
    if (std::sscanf(label.c_str() + at, "scale%lf_pose(%lf %lf", &t.options.regularisation_scale, &target.x,
                    &target.y) != 3)
      throw std::runtime_error("golden trace label not understood: " + label);
    t.per_scan.regularisation = target;
    t.name += " regularised";
  }
  for (const json& pose : j.at("poses")) t.poses.push_back(transform_from(pose));
  t.transform_probability = j.at("tp_float32").get<std::vector<double>>();
  t.nvtl = j.at("nvtl_float32").get<std::vector<double>>();
  return t;
}

PositionCovariance covariance_from(const json& j) { return {j.at(0), j.at(1), j.at(3)}; }

CovarianceCase covariance_case_from(const json& j, const json* cases, const json& guesses) {
  CovarianceCase c;
  if (cases != nullptr) {
    fill(c, j, cases, "guess");
  } else {
    json record = j;
    record["map"] = "courtyard_map";
    fill(c, record, nullptr, "guess");
  }
  c.guess = transform_from(guesses.at(j.at("guess").get<std::string>()));
  c.pose = transform_from(j.at("pose"));
  c.laplace = covariance_from(j.at("laplace"));
  c.floored = covariance_from(j.at("laplace_adjusted"));
  c.multi_ndt = covariance_from(j.at("multi_ndt_cov"));
  c.multi_ndt_floored = covariance_from(j.at("multi_ndt_adjusted"));
  c.multi_ndt_score = covariance_from(j.at("multi_ndt_score_cov"));
  c.multi_ndt_score_floored = covariance_from(j.at("multi_ndt_score_adjusted"));
  c.nvtl = j.at("nvtl");
  return c;
}

/// Null also where the variable is set but empty, as the asan preset sets it.
const char* golden_folder() {
  const char* const value = std::getenv("NDT_GOLDEN_DIR");
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::string find_file(const std::string& name) {
  const char* const folders[] = {NDT_TEST_GOLDEN_DIR, golden_folder()};
  for (const char* dir : folders)
    if (dir != nullptr && fs::exists(fs::path(dir) / name)) return (fs::path(dir) / name).string();
  return {};
}

std::string missing_reason() {
  if (golden_folder() == nullptr)
    return "NDT_GOLDEN_DIR is not set: golden results on real clouds not checked";
  if (find_file("alignments.json").empty()) return "NDT_GOLDEN_DIR holds no alignments.json";
  return {};
}

const std::vector<Run>& runs() {
  static const std::vector<Run> all = [] {
    std::vector<Run> out;
    const json courtyard = load("courtyard.json");
    for (const json& j : courtyard.at("runs"))
      out.push_back(
          run_from(j, nullptr, courtyard.at(j.at("map") == "courtyard_map_far" ? "guesses_far" : "guesses")));
    const json real = load("alignments.json");
    for (const json& j : real.value("runs", json::array())) {
      const json& cases = real.at("cases");
      out.push_back(run_from(j, &cases, cases.at(j.at("case").get<std::string>()).at("guesses")));
    }
    return out;
  }();
  return all;
}

const std::vector<EvaluationCase>& evaluations() {
  static const std::vector<EvaluationCase> all = [] {
    std::vector<EvaluationCase> out;
    const json courtyard = load("courtyard.json");
    for (const json& j : courtyard.at("evaluations")) out.push_back(evaluation_from(j, nullptr));
    const json real = load("evaluations.json");
    if (real.empty()) return out;
    const json cases = load("alignments.json").at("cases");
    for (const json& j : real) out.push_back(evaluation_from(j, &cases));
    return out;
  }();
  return all;
}

const std::vector<TraceCase>& traces() {
  static const std::vector<TraceCase> all = [] {
    std::vector<TraceCase> out;
    const json real = load("traces.json");
    if (real.empty()) return out;
    const json cases = load("alignments.json").at("cases");
    for (const json& j : real)
      out.push_back(trace_from(j, &cases, cases.at(j.at("case").get<std::string>()).at("guesses")));
    return out;
  }();
  return all;
}

const std::vector<CovarianceCase>& covariances() {
  static const std::vector<CovarianceCase> all = [] {
    std::vector<CovarianceCase> out;
    const json courtyard = load("courtyard.json");
    for (const json& j : courtyard.at("covariance"))
      out.push_back(covariance_case_from(j, nullptr, courtyard.at("guesses")));
    const json real = load("covariance.json");
    if (real.empty()) return out;
    const json cases = load("alignments.json").at("cases");
    for (const json& j : real)
      out.push_back(covariance_case_from(j, &cases, cases.at(j.at("case").get<std::string>()).at("guesses")));
    return out;
  }();
  return all;
}

std::vector<VoxelInfo> voxel_table(const std::string& file) {
  std::ifstream in(find_file(file));
  if (!in) throw std::runtime_error("golden voxel table not found: " + file);
  std::string line;
  std::getline(in, line);  // column names
  std::vector<VoxelInfo> rows;
  while (std::getline(in, line)) {
    std::vector<double> v;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) v.push_back(std::stod(cell));
    VoxelInfo row;
    for (std::size_t i = 0; i < 3; ++i) row.key[i] = static_cast<std::int64_t>(v.at(i));
    row.points = static_cast<int>(v.at(3));
    row.centroid = {v.at(4), v.at(5), v.at(6)};
    row.mean = {v.at(7), v.at(8), v.at(9)};
    row.covariance = {v.at(10), v.at(11), v.at(12), v.at(13), v.at(14), v.at(15)};
    row.inverse_covariance = {v.at(16), v.at(17), v.at(18), v.at(19), v.at(20), v.at(21)};
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ndt::golden
