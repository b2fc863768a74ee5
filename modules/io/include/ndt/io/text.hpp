// Text of a file: all of it, the lines of a header, and the words of the body behind it. One word is in
// memory at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/core/error.hpp"
#include "ndt/io/byte_source.hpp"

namespace ndt::io {

/// Returns the whole text of a regular file of at most `most` bytes; `advice` joins the message about a
/// larger one. Throws ndt::InputError.
std::string whole_text(const std::filesystem::path& file, std::uint64_t most, std::string_view advice);

/// Reads words, line ends and rows of numbers. Blanks, tabs and carriage returns separate words. Throws
/// ndt::InputError.
class TextWords {
 public:
  enum class Piece { word, end_of_line, end_of_file };
  enum class Comments {
    none,
    hash,            ///< what follows a '#' that begins a line is skipped, of any length
    hash_and_commas  ///< and commas separate words as blanks do
  };

  explicit TextWords(ByteSource& source, std::uint64_t lines_before = 0, Comments comments = Comments::none)
      : source_(source), line_(lines_before + 1), comments_(comments) {}

  /// After a word, word() is it. refused() and line() name the line of the last piece.
  Piece next();
  /// Moves to the first word of the next line that has one, or to end_of_file.
  Piece next_row();

  const std::string& word() const { return word_; }
  /// Parses word() as a number, float or double; `column` counts from 0 and is for the message.
  template <class T>
  T number(std::uint64_t column) const;

  /// Reads the next line that has words: take(column) is called at each of them. False at the end of the
  /// file; throws if there are more or fewer than `columns`.
  template <class Take>
  bool row(std::uint64_t columns, Take take) {
    const std::uint64_t found = any_row([&](std::uint64_t column) {
      if (column < columns) take(column);
    });
    if (found > 0 && found != columns) throw wrong_length(found, columns);
    return found > 0;
  }
  /// Reads the next line that has words, however many; returns their number, 0 at the end of the file.
  template <class Take>
  std::uint64_t any_row(Take take) {
    std::uint64_t column = 0;
    for (Piece piece = next_row(); piece == Piece::word; piece = next(), ++column) take(column);
    return column;
  }

  std::uint64_t line() const { return line_; }
  std::uint64_t bytes_left() const { return source_.remaining(); }
  InputError refused(std::string_view what) const;
  InputError refused(std::string_view what, std::string_view advice) const;
  InputError wrong_length(std::uint64_t values, std::uint64_t expected) const;

 private:
  void skip_comment(int& byte);
  bool between_words(int byte) const;

  ByteSource& source_;
  std::uint64_t line_, ended_line_ = 0;
  Comments comments_;
  bool at_line_start_ = true;
  std::string word_;
  int pending_ = 0;  // the byte that ended the last word; 0 if none
};

/// Reads the lines of a header; the body behind it may be binary. Throws ndt::InputError.
class HeaderText {
 public:
  /// `last` is the keyword of the header's last line, for messages. Refuses an empty file.
  HeaderText(ByteSource& source, std::string_view last);

  /// Returns the next line without its '\n'. Refuses a file that ends within it and headers past
  /// Limits::kHeaderBytes.
  std::string next_line();
  /// Splits a line into words. Refuses words past Limits::kTokenBytes.
  std::vector<std::string> words(std::string_view line) const;
  /// Lines read so far.
  std::uint64_t count() const { return count_; }
  /// Forms an error about the last line read, or about an earlier one.
  InputError refused(std::string_view what) const { return refused(count_, what); }
  InputError refused(std::uint64_t line, std::string_view what) const;
  /// Forms an error about a missing line.
  InputError missing(std::string_view keyword) const;

 private:
  ByteSource& source_;
  std::string_view last_;
  std::uint64_t count_ = 0;
};

/// Returns the first word of a line, empty if there is none.
std::string_view first_word(std::string_view line);

}  // namespace ndt::io
