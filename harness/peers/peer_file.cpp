#include "peers/peer_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "base/programs.hpp"
#include "base/project_folder.hpp"
#include "io/toml_fields.hpp"

namespace ndt::harness {

namespace fs = std::filesystem;

namespace {

/// A name stands in tables, in command lines and on terminals.
bool is_name(std::string_view text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  return !text.starts_with('.') && std::ranges::all_of(text, fits);
}

/// Reads what a peer answers besides map and scan.
void read_answers(TomlTable& toml, PeerFile& peer) {
  const auto answers = toml.texts("answers").value_or(std::vector<std::string>{"align"});
  const auto has = [&](std::string_view word) { return std::ranges::count(answers, word) > 0; };
  peer.aligns = has("align"), peer.follows = has("follow");
  peer.searches = has("search"), peer.anywhere = has("anywhere");
  const std::size_t known = std::size_t{peer.aligns} + std::size_t{peer.follows} +
                            std::size_t{peer.searches} + std::size_t{peer.anywhere};
  if (answers.empty() || answers.size() > known)
    toml.refuse("answers", "is no list of align, follow, search and anywhere",
                "give one or more of \"align\", \"follow\", \"search\" and \"anywhere\", each once");
  if (peer.anywhere && !peer.searches)
    toml.refuse("answers", "has anywhere without search", "let the peer answer search, too, and add it");
}

/// Adds the arguments behind the peer's own name.
void add_arguments(std::string_view given, PeerFile& peer) {
  std::vector<std::string> arguments;
  for (std::size_t begin = 0, end = 0; begin <= given.size(); begin = end + 1) {
    end = std::min(given.find(':', begin), given.size());
    arguments.emplace_back(given.substr(begin, end - begin));
  }
  for (const std::string& argument : arguments)
    if (argument.empty() || !is_name(argument))
      throw UsageError(fmt::format("peer '{}:{}': '{}' is no argument; give letters, digits, _, - and .",
                                   peer.name, printable(std::string(given)), printable(argument)));
  peer.name += fmt::format(":{}", given);
  peer.note += fmt::format("{}called with {}", peer.note.empty() ? "" : "; ", fmt::join(arguments, " "));
  std::ranges::move(arguments, std::back_inserter(peer.command));
}

/// The folder that NDT_PEERS names; nothing without it.
std::optional<fs::path> users_folder() {
  const char* named = std::getenv("NDT_PEERS");
  if (named == nullptr || *named == '\0') return std::nullopt;
  std::error_code missing;
  if (!fs::is_directory(named, missing))
    throw refusal(printable_name(named), "NDT_PEERS", "is no folder",
                  "set it to a folder of peers, or unset it");
  return fs::absolute(named);
}

/// The folders of peers, the user's first.
std::vector<fs::path> peers_folders() {
  std::vector<fs::path> folders;
  if (std::optional<fs::path> named = users_folder()) folders.push_back(*std::move(named));
  try {
    folders.push_back(project_folder("peers"));
  } catch (const InputError&) {  // an installed program may have none
  }
  return folders;
}

/// The first folder with a file for the name, without its prefix.
fs::path folder_of(const std::string& name) {
  const std::vector<fs::path> folders = peers_folders();
  const auto found = std::ranges::find_if(folders, [&](const fs::path& folder) {
    std::error_code missing;
    return fs::exists(folder / (name + ".toml"), missing);
  });
  return found == folders.end() ? fs::path() : *found;
}

}  // namespace

std::vector<std::string> peer_names() {
  std::set<std::string> names;
  for (const fs::path& folder : peers_folders())
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".toml" && is_name(entry.path().stem().string()))
        names.insert(std::string(kPeerPrefix) + entry.path().stem().string());
  return {names.begin(), names.end()};
}

PeerFile read_peer(std::string_view called) {
  const auto colon = called.find(':', kPeerPrefix.size());
  const std::string_view name = called.substr(0, colon);
  const std::vector<std::string> names = peer_names();
  if (std::ranges::find(names, name) == names.end()) {
    if (names.empty())
      throw UsageError(fmt::format("unknown peer '{}': no peer was found; set NDT_PEERS to a folder of peers",
                                   printable(name)));
    throw unknown_name("peer", name, names);
  }
  PeerFile peer;
  peer.name = name;
  const std::string file = peer.name.substr(kPeerPrefix.size());
  peer.folder = folder_of(file);
  peer.users_own = peer.folder == users_folder();
  TomlTable toml = TomlTable::read(peer.folder / (file + ".toml"));
  peer.about = toml.required_text("about");
  peer.version = toml.required_text("version");
  peer.licence = toml.required_text("licence");
  peer.stop_rule = toml.required_text("stop_rule");
  peer.runs_on = toml.text("runs_on").value_or("CPU, a process of its own");
  peer.note = toml.text("note").value_or("");
  peer.set_up = toml.text("set_up").value_or("");
  peer.one_thread = toml.flag("one_thread").value_or(false);
  read_answers(toml, peer);
  peer.command = toml.texts("command").value_or(std::vector<std::string>{});
  if (peer.command.empty() || peer.command[0].empty())
    toml.refuse("command", "is missing or empty", "give the program and its arguments as a list of texts");
  toml.finish();
  if (colon != std::string_view::npos) add_arguments(called.substr(colon + 1), peer);
  return peer;
}

std::string program_of(const PeerFile& peer) {
  const std::string& program = peer.command[0];
  if (program.find('/') == std::string::npos) return find_program(program);
  const fs::path file = peer.folder / program;
  std::error_code missing;
  return fs::is_regular_file(file, missing) && ::access(file.c_str(), X_OK) == 0 ? file.string() : "";
}

}  // namespace ndt::harness
