// Options of a subcommand on a program of their own, read as from a command line.
#pragma once

#include <functional>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "subcommand.hpp"

namespace ndt::harness {

/// Blanks inside double quotes divide no words.
inline void parse_line(const std::string& line, const std::function<void(Subcommand)>& declare) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> std::quoted(word);) words.push_back(word);
  parse_options(words, declare);
}

}  // namespace ndt::harness
