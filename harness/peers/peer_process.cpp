#include "peers/peer_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/clock.hpp"
#include "base/errors.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kAnswerBytes = std::size_t{64} << 10;
constexpr std::size_t kShown = 80;  // of a wrong answer

}  // namespace

PeerProcess::PeerProcess(const PeerFile& peer)
    : peer_(peer), program_(program_of(peer)), on_broken_pipe_(::signal(SIGPIPE, SIG_IGN)) {
  std::vector<std::string> words = {"ndt-bench", kGuardCommand, program_};
  words.insert(words.end(), peer.command.begin(), peer.command.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string folder = peer.folder.string();
  const pid_t parent = ::getpid();
  OwnedChildren& children = OwnedChildren::get();
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "start of a peer");
  if (process_ == 0) become_guard(pointers.data(), folder.c_str(), parent);
  children.add(process_);
  requests_.close_read();
  answers_.close_write();
  words_.close_write();
}

/// Runs in the child, between fork and exec: no memory is allocated.
void PeerProcess::become_guard(char* const* words, const char* folder, pid_t parent) const {
  sigset_t at_our_end;
  ::sigemptyset(&at_our_end);
  ::sigaddset(&at_our_end, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &at_our_end, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);  // it was too late to ask
  ::setpgid(0, 0);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(requests_.read_end(), STDIN_FILENO);
  ::dup2(answers_.write_end(), STDOUT_FILENO);
  ::dup2(words_.write_end(), STDERR_FILENO);
  const long open_most = ::sysconf(_SC_OPEN_MAX);
  for (int other = STDERR_FILENO + 1; other < std::min(open_most, 4096L); ++other)
    ::fcntl(other, F_SETFD, FD_CLOEXEC);
  if (::chdir(folder) == 0) ::execv("/proc/self/exe", words);
  const char* reason = ::strerrordesc_np(errno);
  const char* const parts[] = {"cannot start its guard in ", folder, ": ", reason == nullptr ? "" : reason,
                               "\n"};
  for (const char* part : parts)
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  ::_exit(127);
}

PeerProcess::~PeerProcess() {
  ::signal(SIGPIPE, on_broken_pipe_);
  if (process_ > 0) {
    kill_tree(process_);  // also what has a session of its own, or a parent that has ended
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    OwnedChildren::get().remove(process_);
  }
  OwnedChildren::get().end_orphans();  // and what was started meanwhile
}

PeerAnswer PeerProcess::ask(const json& request) {
  const std::string name = request.at("do"), line = request.dump() + '\n';
  if (peer_process_ == 0) peer_process_ = std::stoi(read_line(name));  // written by its guard
  require_silence();
  const double waited_us = waited_for_a_core_us();
  const Stopwatch watch;
  if (::write(requests_.write_end(), line.data(), line.size()) < 0) throw_ended(name);
  const std::string text = read_line(name);
  const double outside_us = watch.elapsed_us();
  PeerAnswer answer{json::parse(text, nullptr, false), outside_us, waited_for_a_core_us() - waited_us};
  if (!answer.object.is_object())
    throw error(
        fmt::format("answered '{}' with '{}', which is no JSON object", name, printable(text, kShown)),
        "write nothing but answers to stdout, one line of JSON each, and all else to stderr");
  if (const auto failed = answer.object.find("error"); failed != answer.object.end())
    throw error(fmt::format("says of '{}': {}", name,
                            failed->is_string() ? printable(failed->get<std::string>(), 300) : "error"),
                "see what it needs");
  return answer;
}

/// Reads the scheduler's own account; 0 where the kernel keeps none.
double PeerProcess::waited_for_a_core_us() const {
  double waited_ns = 0;
  for (const std::string& file :
       {std::string("/proc/self/schedstat"), fmt::format("/proc/{}/schedstat", peer_process_)}) {
    std::ifstream in(file);
    double ran = 0, waited = 0;
    if (in >> ran >> waited) waited_ns += waited;
  }
  return waited_ns / 1e3;
}

/// An answer to nothing would be taken for that to the next request.
void PeerProcess::require_silence() {
  pollfd ready{answers_.read_end(), POLLIN, 0};
  if (text_.empty() && ::poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0)
    drain(answers_.read_end(), text_);
  if (!text_.empty())
    throw error(fmt::format("wrote '{}' without being asked", printable(text_, kShown)),
                "write one line for each request");
}

std::string PeerProcess::read_line(const std::string& request) {
  pollfd ready[] = {{answers_.read_end(), POLLIN, 0}, {words_.read_end(), POLLIN, 0}};
  for (auto end = text_.find('\n'); true; end = text_.find('\n')) {
    if (end != std::string::npos) {
      std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      return line;
    }
    if (text_.size() > kAnswerBytes)
      throw error(fmt::format("answered '{}' with a line of more than {} KiB: '{}'", request,
                              kAnswerBytes >> 10, printable(text_, kShown)),
                  "answer with one short line of JSON");
    if (::poll(ready, 2, -1) < 0) continue;  // interrupted
    if (ready[1].revents != 0) {
      read_stderr();
      if ((ready[1].revents & POLLIN) == 0) ready[1].fd = -1;  // it closed its stderr
    }
    if (ready[0].revents != 0 && !drain(answers_.read_end(), text_)) throw_ended(request);
  }
}

/// Passes on what the peer says, so that it can be seen while it works.
void PeerProcess::read_stderr() {
  std::string words;
  drain(words_.read_end(), words);
  if (::write(STDERR_FILENO, words.data(), words.size()) < 0) words += ' ';  // nobody listens
  said_ += words;
  keep_last_words(said_);
}

void PeerProcess::throw_ended(const std::string& request) {
  constexpr int kPatienceMs = 1000, kLookMs = 10;  // between the end of its stdout and its own
  int status = 0;
  pid_t ended = 0;
  for (int waited = 0; waited < kPatienceMs && ended == 0; waited += kLookMs) {
    pollfd ready{words_.read_end(), POLLIN, 0};
    if (::poll(&ready, 1, kLookMs) > 0 && (ready.revents & POLLIN) != 0)
      read_stderr();
    else
      ::usleep(kLookMs * 1000);
    ended = ::waitpid(process_, &status, WNOHANG);
  }
  if (ended == process_) {
    OwnedChildren::get().remove(process_);
    process_ = -1;
  }
  throw error(fmt::format("{} when asked to '{}'",
                          ended > 0 ? how_it_ended(status) : "closed its stdout without an answer", request),
              "run its command by hand, docs/peers.md says how");
}

PeerError PeerProcess::error(const std::string& what, const std::string& advice) const {
  const std::string words = last_words(said_);
  return PeerError(fmt::format("{}: {}; {}{}", peer_.name, what, advice,
                               words.empty() ? "" : "; its last words: " + words));
}

std::int64_t PeerProcess::peak_rss_bytes() const { return peak_resident_bytes(peer_process_); }

}  // namespace ndt::harness
