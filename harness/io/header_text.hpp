// The lines of a header in text, in front of a body that may be binary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {

/// Throws ndt::InputError.
class HeaderText {
 public:
  /// `last` is the keyword of the header's last line, for messages. Refuses an empty file.
  HeaderText(ByteSource& source, std::string_view last);

  /// The next line, without its '\n'. Refuses a file that ends in it and headers past Limits::kHeaderBytes.
  std::string next_line();
  /// Its words. Refuses those past Limits::kTokenBytes.
  std::vector<std::string> words(std::string_view line) const;
  /// Lines read so far.
  std::uint64_t count() const { return count_; }
  /// About the last line read, or an earlier one.
  InputError refused(std::string_view what) const { return refused(count_, what); }
  InputError refused(std::uint64_t line, std::string_view what) const;
  /// About a line that is not there.
  InputError missing(std::string_view keyword) const;

 private:
  ByteSource& source_;
  std::string_view last_;
  std::uint64_t count_ = 0;
};

/// Empty if there is none.
std::string_view first_word(std::string_view line);

}  // namespace ndt::harness
