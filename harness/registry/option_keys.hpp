// Registration options by the names they have in presets and records: those of the command line, with _ for -.
#pragma once

#include <nlohmann/json.hpp>

#include "io/toml_fields.hpp"
#include "registry/align_arguments.hpp"

namespace ndt::harness {

/// Calls f(key, member) for every option but threads and timeout, which are no matter of a variant.
template <class Arguments, class F>
void for_each_option(Arguments& a, F&& f) {
  f("profile", a.profile);
  f("resolution", a.resolution_m);
  f("step", a.step_m);
  f("epsilon", a.epsilon_m);
  f("max_iterations", a.max_iterations);
  f("outlier_ratio", a.outlier_ratio);
  f("neighbours", a.neighbours);
  f("line_search", a.line_search);
  f("candidates", a.candidates);
  f("covariance_start", a.covariance_start);
  f("reg_scale", a.regularisation_scale);
  f("reg_x", a.regularisation_x_m);
  f("reg_y", a.regularisation_y_m);
}

/// Sets the options that the table names; the others stay. Names and values are checked by resolve().
void read_options(TomlTable& toml, AlignArguments& arguments);

/// Only what differs from no options at all.
nlohmann::ordered_json options_json(const AlignArguments& arguments);
/// Inverse. Throws nlohmann::json::exception.
AlignArguments options_from_json(const nlohmann::ordered_json& j);

}  // namespace ndt::harness
