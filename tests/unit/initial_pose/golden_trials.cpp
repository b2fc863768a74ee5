#include "golden_trials.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "golden.hpp"

namespace ndt::golden {
namespace {

using nlohmann::json;

Pose pose_from(const json& j) {
  Pose pose;
  for (int i = 0; i < 6; ++i) coordinate(pose, i) = j.at(static_cast<std::size_t>(i)).get<double>();
  return pose;
}

Trial trial_from(const json& j) {
  Trial trial;
  trial.input = pose_from(j.at("input"));
  trial.result = j.contains("result") ? pose_from(j["result"]) : trial.input;
  trial.score = j.contains("tp") ? j["tp"].get<double>() : j.at("score").get<double>();
  if (j.contains("log_likelihood_ratio") && !j["log_likelihood_ratio"].is_null())
    trial.log_ratio = j["log_likelihood_ratio"].get<double>();
  if (j.contains("above_num_before")) trial.good = j["above_num_before"].get<int>();
  return trial;
}

}  // namespace

std::optional<TrialSequence> trial_sequence(const std::string& file) {
  const std::string path = find_file(file);
  if (path.empty()) return std::nullopt;
  const json j = json::parse(std::ifstream(path));
  TrialSequence out;
  for (int i = 0; i < 5; ++i) {
    coordinate(out.prior.mean, i) = j.at("sample_mean").at(static_cast<std::size_t>(i)).get<double>();
    out.prior.sigma[i] = j.at("sample_stddev").at(static_cast<std::size_t>(i)).get<double>();
  }
  out.startup = j.at("n_startup_trials").get<int>();
  for (const json& trial : j.at("trials")) out.trials.push_back(trial_from(trial));
  return out;
}

}  // namespace ndt::golden
