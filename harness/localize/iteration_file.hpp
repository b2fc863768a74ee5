// Every iteration of every alignment of a localisation as a JSON line, for a person who asks why a scan went
// wrong. Gradients, Hessians and pairs are evaluated once more, after the scan, so that an alignment which is
// only followed costs what it always does.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "localize/localized_scan.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {

class IterationFile {
 public:
  /// Makes aligners with the localisation's map.
  using Make = std::function<std::unique_ptr<Aligner>(const AlignOptions&)>;

  /// Writes iterations.jsonl into the folder. `options`: the alignments', each level of which is evaluated on
  /// a map of its own. Throws InputError if the file cannot be written.
  IterationFile(const std::filesystem::path& folder, const AlignOptions& options, const Make& make);
  /// Sets the map of the scans that follow.
  void set_map(const PointCloud& map);
  /// The scan's alignment must have a trace (PerScan::trace).
  void append(const LocalizedScan& scan);

  static constexpr const char* kName = "iterations.jsonl";

 private:
  NewFile file_;
  std::vector<std::unique_ptr<Aligner>> levels_;  ///< coarse to fine
};

}  // namespace ndt::harness
