// The process between ndt-bench and a peer. It outlives both, so that nothing a peer started is left behind.
#pragma once

namespace ndt::harness {

/// The first word of the command line that leads to guard_peer().
inline constexpr const char* kGuardCommand = "guard-peer";

/// Runs the program words[0] with the arguments words[1], ...; the first line on its stdout is its process
/// id. When it ends, or SIGTERM comes, ends all that it started and then itself, as the program did. A caller
/// asks the kernel for that SIGTERM at its own death (PR_SET_PDEATHSIG), which no handler can miss.
[[noreturn]] void guard_peer(char* const* words);

}  // namespace ndt::harness
