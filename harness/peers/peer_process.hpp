// The process of a peer: started without a shell, asked line by line, and ended with all that it started.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/process.hpp"
#include "peers/peer_file.hpp"

namespace ndt::harness {

/// A fault of a peer: "exec:NAME: what; advice".
struct PeerError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct PeerAnswer {
  nlohmann::ordered_json object;
  double outside_us = 0;  ///< from the request to the end of the answer, by our clock
  double waited_us = 0;   ///< of it, in which our main thread or the peer's waited for a core
};

class PeerProcess {
 public:
  /// Starts the command in its folder, under a guard. The process gets stdin, stdout and stderr and no other
  /// descriptor, and is a group of its own. When this process ends, however that happens, the guard ends the
  /// peer and all that it started.
  explicit PeerProcess(const PeerFile& peer);
  ~PeerProcess();  ///< ends it with all that it started
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Writes the request as a line and waits for the line that answers it; ndt-bench run ends a process that
  /// waits too long. Throws PeerError unless an object without "error" comes back.
  PeerAnswer ask(const nlohmann::ordered_json& request);

  /// Forms an error of this peer. What it wrote to stderr last joins the message.
  PeerError error(const std::string& what, const std::string& advice) const;

  std::int64_t peak_rss_bytes() const;

 private:
  [[noreturn]] void become_guard(char* const* words, const char* folder, pid_t parent) const;
  void require_silence();
  double waited_for_a_core_us() const;
  std::string read_line(const std::string& request);
  void read_stderr();
  [[noreturn]] void throw_ended(const std::string& request);

  const PeerFile& peer_;
  std::string program_;
  void (*on_broken_pipe_)(int);  ///< of this process before: a peer that is gone is an error, not a signal
  Pipe requests_, answers_, words_;
  pid_t process_ = -1;      ///< of the guard
  pid_t peer_process_ = 0;  ///< 0 until its guard has said it
  std::string text_, said_;
};

/// The first word of the command line that leads to guard_peer().
inline constexpr const char* kGuardCommand = "guard-peer";

/// The process between ndt-bench and a peer. It outlives both, so that nothing a peer started is left behind.
/// Runs the program words[0] with the arguments words[1], ...; the first line on its stdout is its process
/// id. When it ends, or SIGTERM comes, ends all that it started and then itself, as the program did. A caller
/// asks the kernel for that SIGTERM at its own death (PR_SET_PDEATHSIG), which no handler can miss.
[[noreturn]] void guard_peer(char* const* words);

}  // namespace ndt::harness
