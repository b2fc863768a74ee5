#include "ndt/named_options.hpp"

#include <utility>
#include <vector>

#include "ndt/align/option_table.hpp"
#include "ndt/core/printable.hpp"

namespace ndt {
namespace {

using Words = std::vector<std::pair<std::string, std::string_view>>;

Words words_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  Words words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw std::invalid_argument("options: '" + printable(word) + "' is not name=value");
    const std::string name = as_flag(word.substr(0, equals));
    for (const auto& [other, value] : words)
      if (other == name) throw std::invalid_argument("options: " + printable(name) + " is given twice");
    words.emplace_back(name, word.substr(equals + 1));
  }
}

}  // namespace

std::string listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

std::string as_flag(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c == '_') c = '-';
  return out;
}

void refuse_value(std::string_view name, std::string_view value, const std::string& expected) {
  throw std::invalid_argument("option " + printable(name) + " = '" + printable(value) + "': " + expected);
}

AlignOptions profile_named(std::string_view name) {
  return AlignOptions::of(value_from<Profile>("profile", name));
}

void set_option(AlignOptions& options, std::string_view name, std::string_view value) {
  if (set_named(kAlignOptions, options, name, value)) return;
  std::vector<std::string_view> names{"profile"};
  for_each_option(kAlignOptions, [&](const auto& option) { names.push_back(option.name); });
  throw std::invalid_argument("unknown option '" + printable(name) + "': choose from " + listed(names));
}

AlignOptions options_from_text(std::string_view text) {
  const Words words = words_of(text);
  AlignOptions options;
  for (const auto& [name, value] : words)
    if (name == "profile") options = profile_named(value);
  for (const auto& [name, value] : words)
    if (name != "profile") set_option(options, name, value);
  return options;
}

}  // namespace ndt
