// results.jsonl, read line by line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ndt/core/error.hpp"
#include "ndt/io/byte_source.hpp"
#include "run/measurement.hpp"

namespace ndt::harness {

/// All members throw InputError.
class ResultLines {
 public:
  explicit ResultLines(const std::filesystem::path& file) : source_(file) {}
  /// False at the end of the file and where a torn line is all that is left.
  bool next();
  const std::string& text() const { return line_; }
  Measurement measurement() const;
  /// An error about the last line.
  InputError refused(std::string_view what, std::string_view advice = "begin a new run") const;

 private:
  ByteSource source_;
  std::string line_;
  int number_ = 0;
};

}  // namespace ndt::harness
