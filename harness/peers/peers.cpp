#include "peers/peers.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "peers/peer_aligner.hpp"
#include "peers/peer_file.hpp"

namespace ndt::harness {
namespace {

/// Keeps the texts that the entry refers to.
struct Peer {
  PeerFile file;
  std::string schedule;
  Implementation entry;
};

std::string why_not(const PeerFile& file) {
  if (!program_of(file).empty()) return {};
  return fmt::format("its program '{}' is missing{}", printable(file.command[0], 200),
                     file.set_up.empty() ? "" : "; " + file.set_up);
}

std::unique_ptr<Peer> made_of(PeerFile given) {
  auto peer = std::make_unique<Peer>();
  const PeerFile& file = peer->file = std::move(given);
  peer->schedule = fmt::format("{} ({}, licence {})", file.about, file.version, file.licence);
  peer->entry = {.name = file.name,
                 .runs_on = file.runs_on,
                 .schedule = peer->schedule,
                 .unavailable_reason = [&file] { return why_not(file); },
                 .make = [&file](const AlignOptions& options) { return make_peer_aligner(file, options); },
                 .one_thread = file.one_thread,
                 .peer = true,
                 .own_process = true,
                 .note = file.note,
                 .stop_rule = file.stop_rule};
  return peer;
}

const Peer& peer_called(std::string_view name) {
  static std::map<std::string, std::unique_ptr<Peer>, std::less<>> known;
  if (const auto found = known.find(name); found != known.end()) return *found->second;
  return *known.emplace(std::string(name), made_of(read_peer(name))).first->second;
}

}  // namespace

const Implementation& peer_implementation(std::string_view name) { return peer_called(name).entry; }

bool aligns(const Implementation& entry) { return !entry.own_process || peer_called(entry.name).file.aligns; }

bool follows(const Implementation& entry) { return aligns(entry) || peer_called(entry.name).file.follows; }

bool searches_itself(const Implementation& entry) {
  return entry.own_process && peer_called(entry.name).file.searches;
}

bool searches_anywhere(const Implementation& entry) {
  return entry.own_process && peer_called(entry.name).file.anywhere;
}

bool is_users_own(const Implementation& entry) {
  return entry.own_process && peer_called(entry.name).file.users_own;
}

}  // namespace ndt::harness
