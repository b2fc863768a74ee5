// Strict reading of TOML files: every key has one type and its bounds, an unknown one is refused, and a
// message names file, line and key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ndt::harness {

/// One table of a file. Each reader marks its key as known; finish() refuses the keys that were not read.
/// Everything throws InputError.
class TomlTable {
 public:
  /// Reads the file's root table. Refuses anything but a regular file of valid TOML of at most
  /// Limits::kHeaderBytes and Limits::kTomlLevels.
  static TomlTable read(const std::filesystem::path& file);
  /// Parses text as read does; `name` stands for the file in messages.
  static TomlTable parse(std::string_view text, const std::string& name);

  ~TomlTable();
  TomlTable(TomlTable&&) noexcept;
  TomlTable& operator=(TomlTable&&) noexcept;

  bool is_text(std::string_view key) const;  ///< false where the key is missing
  // Return nothing if the key is missing.
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<double> number(std::string_view key, double least, double most);
  std::optional<std::int64_t> whole(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<std::vector<std::string>> texts(std::string_view key);
  std::optional<std::vector<double>> numbers(std::string_view key, double least, double most);
  std::optional<TomlTable> table(std::string_view key);
  std::vector<TomlTable> tables(
      std::string_view key);  ///< of an array of tables; none where the key is missing

  std::string required_text(std::string_view key);
  /// Requires one of `choices`.
  std::string required_choice(std::string_view key, const std::vector<std::string>& choices);

  /// Returns the keys in the order of the file, for tables whose keys are data.
  std::vector<std::string> keys() const;
  /// Refuses keys that were not read.
  void finish() const;
  /// Throws InputError "file: line n: key: what; advice".
  [[noreturn]] void refuse(std::string_view key, std::string_view what, std::string_view advice) const;

 private:
  struct Content;
  explicit TomlTable(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace ndt::harness
