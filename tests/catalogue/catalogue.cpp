#include "catalogue.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "bytes.hpp"

namespace ndt::catalogue {
namespace {

struct Kind {
  std::string_view name, extension;
  bool is_cloud = false;
};
/// In the order of Format.
constexpr std::array<Kind, 11> kFormats = {{{"pcd", ".pcd", true},
                                            {"ply", ".ply", true},
                                            {"kitti_bin", ".bin", true},
                                            {"csv", ".csv", true},
                                            {"npy", ".npy", true},
                                            {"tum", ".txt"},
                                            {"kitti_poses", ".txt"},
                                            {"metadata_yaml", ".yaml"},
                                            {"ros_yaml", ".yaml"},
                                            {"preset_toml", ".toml"},
                                            {"dataset_toml", ".toml"}}};
const Kind& kind_of(Format format) { return kFormats.at(static_cast<std::size_t>(format)); }

Entry with_bytes(Format format, std::string name, std::string bytes, std::variant<Refused, Accepted> answer) {
  // Shared: entries are copied, and some are large.
  auto content = std::make_shared<const std::string>(std::move(bytes));
  auto make = [content](const std::filesystem::path& file) {
    std::ofstream(file, std::ios::binary)
        .write(content->data(), static_cast<std::streamsize>(content->size()));
  };
  return {std::move(name), format, std::move(make), std::move(answer)};
}

std::string decoded(const std::string& text);

/// The bytes of what stands between braces in files.toml.
std::string expanded(const std::string& inside) {
  std::string bytes;
  if (const std::size_t star = inside.rfind('*'); star != std::string::npos) {
    const std::string unit = decoded(inside.substr(0, star));
    for (int left = std::stoi(inside.substr(star + 1)); left > 0; --left) bytes += unit;
    return bytes;
  }
  std::istringstream words(inside.substr(1));
  for (std::string word; words >> word;) {
    if (inside[0] == 'f') bytes += harness::bytes_of(std::stof(word));
    if (inside[0] == 'F') bytes += harness::big_endian(harness::bytes_of(std::stof(word)), 4);
    if (inside[0] == 'd') bytes += harness::bytes_of(std::stod(word));
    if (inside[0] == 'i') bytes += harness::bytes_of(static_cast<std::uint32_t>(std::stoll(word)));
  }
  return bytes;
}

/// The bytes that files.toml writes as `text`.
std::string decoded(const std::string& text) {
  static const std::regex written(R"(\\x[0-9A-F]{2}|\{[^{}]*\*[0-9]+\}|\{[fFdi]( [-+.\w]+)+\})");
  std::string bytes;
  auto rest = text.begin();
  for (std::sregex_iterator found(text.begin(), text.end(), written); found != std::sregex_iterator();
       ++found) {
    bytes.append(rest, (*found)[0].first);
    const std::string token = found->str();
    if (token[0] == '{')
      bytes += expanded(token.substr(1, token.size() - 2));
    else
      bytes += static_cast<char>(std::stoi(token.substr(2), nullptr, 16));
    rest = (*found)[0].second;
  }
  return bytes.append(rest, text.end());
}

std::string text_of(const toml::node* node) { return node->value<std::string>().value(); }

/// Puts `text` for each `old` of the file, which has one or more; for all of it where `old` is empty.
void change(std::string& file, const std::string& old, const std::string& text) {
  std::size_t at = file.find(old);
  if (at == std::string::npos) throw std::runtime_error("files.toml: nothing to change: " + old);
  if (old.empty()) file.clear();
  for (; at != std::string::npos; at = file.find(old, at + text.size())) {
    file.replace(at, old.size(), text);
    if (old.empty()) return;
  }
}

std::string with_advice(const std::string& message, const toml::table& group) {
  if (message.find(';') != std::string::npos || message.ends_with("...")) return message;
  if (const auto advice = group["advice"].value<std::string>()) return message + *advice;
  const std::string_view advice = message.starts_with("line")   ? kFixLine
                                  : message.starts_with("byte") ? kCutOff
                                                                : kFixHeader;
  return message + std::string(advice);
}

std::variant<Refused, Accepted> answer_of(const toml::node& answer, const toml::table& group) {
  if (const auto message = answer.value<std::string>()) return Refused{with_advice(*message, group)};
  const auto number = [](const toml::node& node) { return node.value<std::uint64_t>().value(); };
  const toml::array* three = answer.as_array();
  if (three == nullptr) return Accepted{.points = number(answer)};
  return Accepted{number(three->at(0)), number(three->at(1)), number(three->at(2))};
}

Entry entry_of(const toml::table& group, const toml::array& row) {
  const auto* format = std::ranges::find(kFormats, text_of(group.get("format")), &Kind::name);
  std::string file = text_of(group.get("base"));
  for (std::size_t i = 2; i < row.size(); i += 2) change(file, text_of(row.get(i)), text_of(row.get(i + 1)));
  if (file.find("BODY") != std::string::npos) change(file, "BODY", text_of(group.get("body")));
  return with_bytes(static_cast<Format>(format - kFormats.begin()),
                    text_of(group.get("prefix")) + text_of(row.get(0)), decoded(file),
                    answer_of(row.at(1), group));
}

Entries rows() {
  const toml::table table = toml::parse_file(NDT_CATALOGUE_ROWS);
  Entries all;
  for (const toml::node& group : *table["group"].as_array())
    for (const toml::node& row : *(*group.as_table())["files"].as_array())
      all.push_back(entry_of(*group.as_table(), *row.as_array()));
  return all;
}

}  // namespace

Entry refused(Format format, std::string name, std::string bytes, std::string message) {
  return with_bytes(format, std::move(name), std::move(bytes), Refused{std::move(message)});
}

Entry accepted(Format format, std::string name, std::string bytes, Accepted answer) {
  return with_bytes(format, std::move(name), std::move(bytes), std::move(answer));
}

std::string file_name(const Entry& entry) {
  return entry.name + std::string(kind_of(entry.format).extension);
}

bool is_cloud(Format format) { return kind_of(format).is_cloud; }

Entries entries() {
  Entries all;
  for (const auto& group : {places, rows, made, pcd_values})
    for (Entry& entry : group()) all.push_back(std::move(entry));
  // A build without a library refuses them all alike, which pcd_test checks for liblzf.
  std::erase_if(all, [](const Entry& entry) {
    return (!NDT_HAVE_LZF && entry.name.find("compressed") != std::string::npos) ||
           (!NDT_HAVE_YAML && kind_of(entry.format).extension == ".yaml");
  });
  return all;
}

}  // namespace ndt::catalogue
