#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/interruption.hpp"
#include "base/process.hpp"
#include "peers/peer_process.hpp"

namespace ndt::harness {
namespace {

sigset_t signals_of_an_end() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGHUP, SIGINT, SIGTERM}) ::sigaddset(&signals, signal);
  return signals;
}

[[noreturn]] void become_peer(char* const* words, const sigset_t& blocked) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  ::sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  ::dprintf(STDOUT_FILENO, "%d\n", ::getpid());
  ::execv(words[0], words + 1);
  const char* reason = ::strerrordesc_np(errno);
  ::dprintf(STDERR_FILENO, "cannot start %s: %s\n", words[1], reason == nullptr ? "" : reason);
  ::_exit(127);
}

/// The ends of the pipes belong to the peer alone: who reads must see that it closed them.
void leave_streams() {
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
}

/// Returns the status of the peer, or that of a killed one if a signal came first.
int wait_for_end(pid_t peer, const sigset_t& signals) {
  for (int signal = SIGCHLD; signal == SIGCHLD; ::sigwait(&signals, &signal)) {
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == peer) return status;
  }
  return SIGKILL;
}

}  // namespace

void guard_peer(char* const* words) {
  const sigset_t signals = signals_of_an_end();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGCHLD, SIG_DFL);  // where it is ignored, no status can be had
  const OwnedChildren& children = OwnedChildren::get();
  const pid_t peer = ::fork();
  if (peer == 0) become_peer(words, signals);
  if (peer < 0) ::dprintf(STDERR_FILENO, "cannot start %s: %s\n", words[1], ::strerrordesc_np(errno));
  leave_streams();
  const int status = peer < 0 ? 127 << 8 : wait_for_end(peer, signals);
  children.end_orphans();
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit none{0, 0};  // the core file is the peer's
  ::setrlimit(RLIMIT_CORE, &none);
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  end_by(WTERMSIG(status));
}

}  // namespace ndt::harness
