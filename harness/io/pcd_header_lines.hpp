// The lines of a PCD header by keyword, not yet understood.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "io/header_text.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {

class PcdHeaderLines {
 public:
  /// Reads to the end of the DATA line. Throws ndt::InputError for unknown or repeated keywords, words or headers that are
  /// too long, and a file that ends first.
  explicit PcdHeaderLines(ByteSource& source);

  bool has(const std::string& keyword) const { return lines_.contains(keyword); }
  /// What follows a keyword that is there. COLUMNS is found as FIELDS.
  const std::vector<std::string>& words(const std::string& keyword) const { return lines_.at(keyword).words; }
  std::uint64_t count() const { return text_.count(); }

  /// Throws if the keyword is not followed by exactly n words.
  void expect_words(const std::string& keyword, std::size_t n) const;
  InputError refused(const std::string& keyword, std::string_view what) const;
  InputError missing(std::string_view keyword) const { return text_.missing(keyword); }

 private:
  struct Line {
    std::uint64_t number = 0;
    std::vector<std::string> words;
  };
  std::string_view add(std::string_view line);

  HeaderText text_;
  std::map<std::string, Line> lines_;
};

}  // namespace ndt::harness
