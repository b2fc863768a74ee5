// The folders that merge reads: what it needs of each, checked, and whether they are parts of one run.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/lock_file.hpp"
#include "run/plan.hpp"

namespace ndt::harness {

inline constexpr const char* kPartsFile = "parts.json";  ///< of a merged run

struct Part {
  std::filesystem::path folder;
  std::string name;  ///< printable
  Plan plan;
  nlohmann::ordered_json environment, datasets, columns, implementations;  ///< files of these names
  nlohmann::ordered_json ran;    ///< environment and jobs of every part of a merged run, else of this one
  std::optional<LockFile> lock;  ///< no process writes to the folder meanwhile
};

/// Throws InputError unless the files are what a run that has ended writes.
Part read_part(const std::filesystem::path& folder);

/// Throws InputError unless both have the same plan but for their shards, program, datasets, columns and
/// implementations.
void require_one_run(const Part& first, const Part& other);

/// Whether the times of all that ran can be compared.
bool on_one_machine(const nlohmann::ordered_json& ran);

}  // namespace ndt::harness
