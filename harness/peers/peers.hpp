// Peers as implementations: found by the names exec:NAME, and made of their files.
#pragma once

#include <string_view>

#include "ndt/align/implementation.hpp"

namespace ndt::harness {

/// The entry of a peer, the same for the same name as long as the program runs. Throws as read_peer does.
const Implementation& peer_implementation(std::string_view name);

/// False for a peer that only follows a recording, or searches for the initial pose.
bool aligns(const Implementation& entry);
/// True for a peer that aligns, or follows a recording.
bool follows(const Implementation& entry);
/// True for a peer with a search for the initial pose of its own.
bool searches_itself(const Implementation& entry);
/// True for a peer whose search needs no guess.
bool searches_anywhere(const Implementation& entry);
/// True for a peer from the folder that NDT_PEERS names.
bool is_users_own(const Implementation& entry);

}  // namespace ndt::harness
