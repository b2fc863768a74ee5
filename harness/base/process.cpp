#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

constexpr std::size_t kKept = 8192;

/// Listed with the thread that started them.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> all;
  std::error_code gone;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), gone), end;
  for (; !gone && thread != end; thread.increment(gone)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) all.push_back(child);
  }
  return all;
}

/// The process first, then its children's trees.
std::vector<pid_t> process_tree(pid_t process) {
  std::vector<pid_t> tree = {process};
  for (std::size_t k = 0; k < tree.size(); ++k)
    for (const pid_t child : children_of(tree[k])) tree.push_back(child);
  return tree;
}

}  // namespace

Pipe::Pipe() {
  if (::pipe2(ends_, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
}

Pipe::~Pipe() {
  close_read();
  close_write();
}

void Pipe::close(int which) {
  if (ends_[which] >= 0) ::close(ends_[which]);
  ends_[which] = -1;
}

bool drain(int descriptor, std::string& text) {
  char buffer[65536];
  const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
  if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

std::string last_words(const std::string& text) {
  constexpr std::size_t kShown = 300;
  const std::string tail = text.size() > kShown ? text.substr(text.size() - kShown) : text;
  std::string words;
  for (const char c : tail) words += c == '\n' ? ' ' : c;
  while (words.ends_with(' ')) words.pop_back();
  return printable(words, kShown);
}

void keep_last_words(std::string& text) {
  if (text.size() > 2 * kKept) text.erase(0, text.size() - kKept);
}

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::sigabbrev_np(WTERMSIG(status)));
}

std::int64_t resident_bytes(pid_t process) {
  std::int64_t pages = 0;
  for (const pid_t one : process_tree(process)) {
    std::ifstream in(fmt::format("/proc/{}/statm", one));
    std::int64_t total = 0, resident = 0;
    in >> total >> resident;
    pages += resident;
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

std::int64_t peak_resident_bytes(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/status", process));
  for (std::string word; in >> word;)
    if (std::int64_t kib = 0; word == "VmHWM:" && in >> kib) return kib * 1024;
  return 0;
}

double cpu_seconds(pid_t process) {
  double sum = 0;
  for (const pid_t one : process_tree(process)) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(one, &clock) == 0 && ::clock_gettime(clock, &time) == 0)
      sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  return sum;
}

void kill_tree(pid_t process) {
  for (const pid_t one : process_tree(process)) ::kill(one, SIGKILL);
}

OwnedChildren& OwnedChildren::get() {
  static OwnedChildren children;
  return children;
}

OwnedChildren::OwnedChildren() : others_(children_of(::getpid())) { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void OwnedChildren::end_orphans() const {
  constexpr int kRounds = 100;  // what it started goes to this process when it ends
  for (int round = 0; round < kRounds; ++round) {
    bool any = false;
    for (const pid_t child : children_of(::getpid())) {
      if (std::ranges::count(others_, child) + std::ranges::count(started_, child) > 0) continue;
      any = true;
      kill_tree(child);
      while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    if (!any) return;
  }
}

}  // namespace ndt::harness
