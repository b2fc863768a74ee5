// ROS 2 parameter files (.param.yaml): the parameters of one node by their full names, read with types and
// bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/align/option.hpp"

namespace ndt::harness {

/// One value, or a list of them, as it is written.
struct RosParameter {
  std::vector<std::string> values;
  bool list = false, quoted = false;
  std::size_t line = 0;  ///< from 1
  std::size_t order = 0;
};

/// Every reader returns nothing where the parameter is missing and throws InputError "file: line n: name =
/// value: what; what is expected" where it has another type or is out of its bounds.
class RosParameters {
 public:
  /// Reads the parameters of `node` (its name without namespaces): those of /** and /*, then those of its own
  /// block. If there is a single block with another name, reads that one. Names of nested maps are joined by
  /// points. Throws InputError naming file, line and remedy: for a build without yaml-cpp, invalid YAML, or a
  /// file without ros__parameters or without this node. Throws it also for a duplicate parameter, maps more
  /// than 16 deep, more than 4096 values, or more than Limits::kHeaderBytes.
  static RosParameters read(const std::filesystem::path& file, std::string_view node);

  const std::string& file() const { return file_; }  ///< as in messages
  bool has(std::string_view name) const { return parameters_.contains(name); }
  std::vector<std::string> names() const;         ///< in the order of the file
  std::string text(std::string_view name) const;  ///< the value as it is written, on one line

  std::optional<double> number(std::string_view name, const Bounds& bounds) const;
  std::optional<std::int64_t> whole(std::string_view name, std::int64_t least, std::int64_t most) const;
  std::optional<bool> flag(std::string_view name) const;
  /// Not empty.
  std::optional<std::string> word(std::string_view name) const;
  /// All finite.
  std::optional<std::vector<double>> numbers(std::string_view name) const;

  /// The parameter must be there.
  [[noreturn]] void refuse(std::string_view name, std::string_view what, std::string_view expected) const;

 private:
  friend class RosParameterReader;
  const RosParameter* find(std::string_view name) const;
  double real(std::string_view name, const RosParameter& parameter, const std::string& value,
              const Bounds& bounds) const;
  void require_single(std::string_view name, const RosParameter& parameter, std::string_view expected) const;

  std::string file_;
  std::map<std::string, RosParameter, std::less<>> parameters_;
};

}  // namespace ndt::harness
