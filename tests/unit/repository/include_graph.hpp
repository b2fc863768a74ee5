// Who includes whom in a set of source files, and which of those arrows the project's layering forbids.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ndt::repository {

struct Include {
  int line = 0;
  std::string path;
  bool quoted = false;
};

/// The include directives of a source text; those behind // or inside /* */ do not count.
std::vector<Include> includes_of(std::string_view source);

/// Files by their path from the repository root, with '/' between folders: sources, headers, and
/// modules/<name>/CMakeLists.txt, which tells that <name> is a module.
using Files = std::map<std::string, std::string>;

class IncludeGraph {
 public:
  explicit IncludeGraph(const Files& files);

  /// One line per forbidden include: "<file>:<line>: includes <what>: <why not>".
  std::vector<std::string> violations() const;
  /// One line per cycle of units (a header and its source are one): "<unit> -> <unit> -> ... -> <unit>".
  std::vector<std::string> cycles() const;
  std::size_t include_count() const;

 private:
  using NameSet = std::set<std::string>;
  struct Place;
  bool exists(const std::string& path) const { return includes_.contains(path); }
  std::optional<NameSet> allowed_to(const std::string& module) const;
  NameSet modules_under_test(const std::string& file) const;
  std::string unit_of(const std::string& file) const;
  Place place_of(const std::string& file) const;
  std::string layer_of_source(const std::string& file) const;
  std::string resolve(const std::string& file, const Include& include) const;
  std::string objection(const std::string& file, const Include& include) const;
  std::string objection_to_own(const Place& from, const std::string& target) const;
  void follow_device_code(const std::string& file, const std::string& chain,
                          std::vector<std::string>& visited, std::vector<std::string>& out) const;

  std::map<std::string, std::vector<Include>> includes_;
  NameSet modules_, with_kernels_;
};

}  // namespace ndt::repository
