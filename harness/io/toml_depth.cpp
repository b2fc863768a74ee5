#include "io/toml_depth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

class DepthScanner {
 public:
  DepthScanner(std::string_view text, const std::string& file) : rest_(text), text_(text), file_(file) {}

  void scan() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"' || c == '\'')
        skip_string(c);
      else if (c == '#')
        skip(rest_.find('\n'));
      else
        take(c);
    }
  }

 private:
  void take(char c) {
    rest_.remove_prefix(1);
    if (c == '.') {
      if (++parts_ > Limits::kTomlLevels) refuse("a key has more than {} parts");
      return;
    }
    if (c == '[' || c == '{') {
      if (++brackets_ > Limits::kTomlLevels) refuse("brackets nest deeper than {} levels");
    } else if (c == ']' || c == '}') {
      --brackets_;
    }
    if (std::string_view("[]{},=\n").find(c) != std::string_view::npos) parts_ = 1;
  }

  /// A string in triple quotes may end with two quotes of its own. One in single quotes ends with its line at
  /// the latest, because the parser refuses it there.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool many_lines = rest_.starts_with(triple);
    skip(many_lines ? 3 : 1);
    while (!rest_.empty()) {
      if (quote == '"' && rest_.front() == '\\') {
        skip(2);
      } else if (many_lines ? rest_.starts_with(triple) : rest_.front() == quote) {
        skip(many_lines ? std::min<std::size_t>(rest_.find_first_not_of(quote), 5) : 1);
        return;
      } else if (!many_lines && rest_.front() == '\n') {
        return;
      } else {
        skip(1);
      }
    }
  }

  void skip(std::size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }

  [[noreturn]] void refuse(fmt::format_string<const int&> what) const {
    const auto line = 1 + std::ranges::count(text_.substr(0, text_.size() - rest_.size()), '\n');
    throw refusal(file_, fmt::format("line {}", line), fmt::format(what, Limits::kTomlLevels),
                  "remove the levels that nothing reads");
  }

  std::string_view rest_, text_;
  const std::string& file_;
  int parts_ = 1, brackets_ = 0;
};

}  // namespace

void require_shallow_toml(std::string_view text, const std::string& file) { DepthScanner(text, file).scan(); }

}  // namespace ndt::harness
