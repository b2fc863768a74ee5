// A peer's description: one TOML file in a folder of peers says what the peer is and how it is started.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ndt::harness {

/// The prefix of the names of peers: exec:NAME is described by NAME.toml. In exec:NAME:A:B the program has
/// the further arguments A and B, so that each setting of a peer is an entry of its own.
inline constexpr std::string_view kPeerPrefix = "exec:";
inline bool is_peer_name(std::string_view name) { return name.starts_with(kPeerPrefix); }
/// Stands for every peer in a preset; no peer can be called so.
inline constexpr std::string_view kAnyPeer = "exec:*";

struct PeerFile {
  std::string name;                  ///< with the prefix and further arguments
  std::filesystem::path folder;      ///< of the file; its command runs in it
  std::vector<std::string> command;  ///< the program and its arguments; no shell reads them
  std::string about, version, licence, stop_rule;
  std::string runs_on, note;  ///< note may be empty
  std::string set_up;         ///< what to do where the command is missing; may be empty
  bool one_thread = false;    ///< the peer ignores the number of threads
  bool aligns = true;         ///< it answers "align"
  bool follows = false;       ///< it answers "follow"
  bool searches = false;      ///< it answers "search"
  bool anywhere = false;      ///< it answers "anywhere", too
  bool users_own = false;     ///< its file is in the folder that NDT_PEERS names
};

/// The names of all files in the folder that NDT_PEERS names and in the project's peers/, sorted, whatever is
/// in them. Throws InputError if NDT_PEERS names no folder.
std::vector<std::string> peer_names();

/// Takes the file of NDT_PEERS if both folders have the name. Throws UsageError for an unknown name,
/// InputError if its file cannot be used.
PeerFile read_peer(std::string_view name);

/// The path of the command's program, empty if it cannot be found or started. One without a slash is looked
/// for on PATH, any other is relative to the peer's folder.
std::string program_of(const PeerFile& peer);

}  // namespace ndt::harness
