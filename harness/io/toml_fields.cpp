#include "io/toml_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/text.hpp"

namespace ndt::harness {

namespace {

/// Finds how deep a TOML text nests without parsing it.
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

/// Refuses a key of more than Limits::kTomlLevels parts and brackets nested deeper than that, because the
/// parser follows both by recursion and would exhaust the stack. Throws InputError that names `file` and the
/// line. Text that is not TOML may pass; the parser refuses it.
void require_shallow_toml(std::string_view text, const std::string& file) { DepthScanner(text, file).scan(); }

}  // namespace

struct TomlTable::Content {
  std::shared_ptr<const toml::table> root;  ///< keeps the nodes below alive
  const toml::table* table = nullptr;
  std::string file, path;  ///< path: "truth." in front of this table's keys in messages
  std::set<std::string, std::less<>> known;

  const toml::node* find(std::string_view key) {
    known.emplace(key);
    return table->get(key);
  }
  std::unique_ptr<Content> below(const toml::table& child, std::string_view key) const {
    auto content = std::make_unique<Content>();
    content->root = root;
    content->table = &child;
    content->file = file;
    content->path = fmt::format("{}{}.", path, key);
    return content;
  }
};

namespace {

std::string kind_of(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  if (node.is_string()) return "text";
  if (node.is_integer()) return "a whole number";
  if (node.is_floating_point()) return "a number";
  if (node.is_boolean()) return "true or false";
  return "a date or time";
}

std::optional<double> as_number(const toml::node& node) {
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_integer()) return static_cast<double>(value->get());
  return std::nullopt;
}

}  // namespace

TomlTable::TomlTable(std::unique_ptr<Content> content) : content_(std::move(content)) {}
TomlTable::~TomlTable() = default;
TomlTable::TomlTable(TomlTable&&) noexcept = default;
TomlTable& TomlTable::operator=(TomlTable&&) noexcept = default;

TomlTable TomlTable::read(const std::filesystem::path& file) {
  return parse(
      whole_text(file, Limits::kHeaderBytes, "give a TOML file that describes a dataset or a preset"),
      printable_name(file.string()));
}

TomlTable TomlTable::parse(std::string_view text, const std::string& name) try {
  require_shallow_toml(text, name);
  auto content = std::make_unique<Content>();
  auto root = std::make_shared<toml::table>(toml::parse(text));
  content->table = root.get();
  content->root = std::move(root);
  content->file = name;
  return TomlTable(std::move(content));
} catch (const toml::parse_error& error) {
  throw refusal(name, fmt::format("line {}", error.source().begin.line), printable(error.description(), 200),
                "fix the TOML");
}

void TomlTable::refuse(std::string_view key, std::string_view what, std::string_view advice) const {
  const toml::node* node = content_->table->get(key);
  const auto line = (node ? node->source() : content_->table->source()).begin.line;
  std::string name = content_->path + printable(key);
  if (name.ends_with('.')) name.pop_back();  // of the table as a whole
  throw refusal(content_->file, line > 0 ? fmt::format("line {}", line) : "",
                fmt::format("{}: {}", name, what), advice);
}

bool TomlTable::is_text(std::string_view key) const {
  const toml::node* node = content_->table->get(key);
  return node != nullptr && node->is_string();
}

std::optional<std::string> TomlTable::text(std::string_view key) {
  const toml::node* node = content_->find(key);
  if (!node) return std::nullopt;
  const auto* value = node->as_string();
  if (!value) refuse(key, "is " + kind_of(*node), "give text in quotes");
  return value->get();
}

std::optional<bool> TomlTable::flag(std::string_view key) {
  const toml::node* node = content_->find(key);
  if (!node) return std::nullopt;
  const auto* value = node->as_boolean();
  if (!value) refuse(key, "is " + kind_of(*node), "give true or false");
  return value->get();
}

std::optional<double> TomlTable::number(std::string_view key, double least, double most) {
  const toml::node* node = content_->find(key);
  if (!node) return std::nullopt;
  const auto value = as_number(*node);
  if (!value) refuse(key, "is " + kind_of(*node), "give a number");
  if (!(*value >= least && *value <= most))
    refuse(key, fmt::format("{} is not in [{}, {}]", *value, least, most), "give a number in these bounds");
  return value;
}

std::optional<std::int64_t> TomlTable::whole(std::string_view key, std::int64_t least, std::int64_t most) {
  const toml::node* node = content_->find(key);
  if (!node) return std::nullopt;
  const auto* value = node->as_integer();
  if (!value) refuse(key, "is " + kind_of(*node), "give a whole number");
  if (value->get() < least || value->get() > most)
    refuse(key, fmt::format("{} is not in [{}, {}]", value->get(), least, most),
           "give a whole number in these bounds");
  return value->get();
}

std::optional<std::vector<std::string>> TomlTable::texts(std::string_view key) {
  const toml::node* node = content_->find(key);
  if (!node) return std::nullopt;
  const toml::array* array = node->as_array();
  if (!array) refuse(key, "is " + kind_of(*node), "give an array of texts");
  std::vector<std::string> out;
  for (const toml::node& entry : *array) {
    if (!entry.is_string()) refuse(key, "holds " + kind_of(entry), "give an array of texts");
    out.push_back(entry.as_string()->get());
  }
  return out;
}

std::optional<std::vector<double>> TomlTable::numbers(std::string_view key, double least, double most) {
  const toml::node* node = content_->find(key);
  if (!node) return std::nullopt;
  const toml::array* array = node->as_array();
  if (!array) refuse(key, "is " + kind_of(*node), "give an array of numbers");
  std::vector<double> out;
  for (const toml::node& entry : *array) {
    const auto value = as_number(entry);
    if (!value) refuse(key, "holds " + kind_of(entry), "give an array of numbers");
    if (!(*value >= least && *value <= most))
      refuse(key, fmt::format("{} is not in [{}, {}]", *value, least, most), "give numbers in these bounds");
    out.push_back(*value);
  }
  return out;
}

std::optional<TomlTable> TomlTable::table(std::string_view key) {
  const toml::node* node = content_->find(key);
  if (!node) return std::nullopt;
  if (!node->is_table())
    refuse(key, "is " + kind_of(*node), fmt::format("give a table [{}{}]", content_->path, key));
  return TomlTable(content_->below(*node->as_table(), key));
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  const toml::node* node = content_->find(key);
  std::vector<TomlTable> out;
  if (!node) return out;
  if (!node->is_array())
    refuse(key, "is " + kind_of(*node), fmt::format("give tables [[{}{}]]", content_->path, key));
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_table())
      refuse(key, "holds " + kind_of(entry), fmt::format("give tables [[{}{}]]", content_->path, key));
    out.push_back(TomlTable(content_->below(*entry.as_table(), key)));
  }
  return out;
}

std::string TomlTable::required_text(std::string_view key) {
  auto value = text(key);
  if (!value) refuse(key, "is missing", "add it");
  return *value;
}

std::string TomlTable::required_choice(std::string_view key, const std::vector<std::string>& choices) {
  std::string value = required_text(key);
  if (std::ranges::find(choices, value) == choices.end())
    refuse(key, fmt::format("'{}' is unknown", printable(value)),
           fmt::format("choose from {}", fmt::join(choices, ", ")));
  return value;
}

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::pair<toml::source_index, std::string>> found;
  for (const auto& [key, node] : *content_->table)
    found.emplace_back(key.source().begin.line, std::string(key.str()));
  std::ranges::stable_sort(found, {}, &std::pair<toml::source_index, std::string>::first);
  std::vector<std::string> out;
  for (auto& [line, key] : found) out.push_back(std::move(key));
  return out;
}

void TomlTable::finish() const {
  for (const std::string& key : keys())
    if (!content_->known.contains(key))
      refuse(key, "unknown key", fmt::format("known here: {}", fmt::join(content_->known, ", ")));
}

}  // namespace ndt::harness
