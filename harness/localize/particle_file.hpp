// Every alignment of every search of a localisation: a JSON line a search.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "localize/localized_scan.hpp"
#include "ndt/initial_pose/search.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {

/// The start and the end of a particle, and how it ended.
nlohmann::ordered_json particle_json(const initial_pose::Particle& particle);

class ParticleFile {
 public:
  /// Writes particles.jsonl into the folder. Throws InputError if the file cannot be written.
  explicit ParticleFile(const std::filesystem::path& folder) : file_(folder / kName) {}
  /// Writes nothing for a scan that was not searched.
  void append(const LocalizedScan& scan);

  static constexpr const char* kName = "particles.jsonl";

 private:
  NewFile file_;
};

}  // namespace ndt::harness
