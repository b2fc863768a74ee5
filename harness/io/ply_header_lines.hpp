// The lines of a PLY header as a list of elements, checked one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/header_text.hpp"
#include "io/ply_header.hpp"

namespace ndt::harness {

class PlyHeaderLines {
 public:
  /// Reads to the end of the end_header line. Throws ndt::InputError for lines that are not as the format has them, types
  /// it does not have, names that come twice, and a file that ends first.
  explicit PlyHeaderLines(ByteSource& source);

  PlyEncoding encoding() const { return *encoding_; }
  std::vector<PlyElement>& elements() { return elements_; }
  const HeaderText& text() const { return text_; }

 private:
  using Words = std::vector<std::string>;
  bool add(const std::string& line);
  void set_format(const Words& words);
  void add_element(const Words& words);
  void add_property(const Words& words);
  void expect_words(const Words& words, std::size_t n, std::string_view form) const;
  const PlyType& type(const std::string& word) const;

  HeaderText text_;
  std::optional<PlyEncoding> encoding_;
  std::vector<PlyElement> elements_;
};

}  // namespace ndt::harness
