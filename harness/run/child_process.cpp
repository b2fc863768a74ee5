#include "run/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/clock.hpp"
#include "base/errors.hpp"

extern char** environ;

namespace ndt::harness {
namespace {

[[noreturn]] void throw_system(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Both ends close themselves, here and, unless given to it, in a child.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw_system("pipe");
  }
  ~Pipe() {
    close_write();
    ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

/// Appends what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text) {
  char buffer[65536];
  const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
  if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

std::int64_t resident_bytes(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/statm", process));
  std::int64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// The last lines of what a process said, fit for one line.
std::string last_words(const std::string& text) {
  constexpr std::size_t kShown = 300;
  const std::string tail = text.size() > kShown ? text.substr(text.size() - kShown) : text;
  std::string words;
  for (const char c : tail) words += c == '\n' ? ' ' : c;
  while (words.ends_with(' ')) words.pop_back();
  return printable(words, kShown);
}

class Child {
 public:
  Child(const std::vector<std::string>& arguments) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, words_.write_end(), 1);
    ::posix_spawn_file_actions_adddup2(&actions, words_.write_end(), 2);
    ::posix_spawn_file_actions_adddup2(&actions, measurements_.write_end(), kMeasurementsDescriptor);
    std::vector<std::string> words = {"ndt-bench"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int error = ::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), "start of a measuring process");
    measurements_.close_write();
    words_.close_write();
  }
  ~Child() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ChildEnd watch(const ChildLimits& limits, const std::function<void(const std::string&)>& line) {
    constexpr int kLookMs = 100;
    Stopwatch silence;
    pollfd ready[] = {{measurements_.read_end(), POLLIN, 0}, {words_.read_end(), POLLIN, 0}};
    while (ready[0].fd >= 0 || ready[1].fd >= 0) {
      ::poll(ready, 2, kLookMs);
      if (ready[0].revents != 0) {
        if (!drain(ready[0].fd, text_)) ready[0].fd = -1;
        if (hand_over(line)) silence = Stopwatch();
      }
      if (ready[1].revents != 0) {
        if (!drain(ready[1].fd, said_)) ready[1].fd = -1;
        constexpr std::size_t kKept = 8192;
        if (said_.size() > 2 * kKept) said_.erase(0, said_.size() - kKept);
      }
      if (resident_bytes(process_) > limits.memory_bytes)
        return {ChildEnd::Kind::too_large,
                fmt::format("ended: it used more than {} MiB", limits.memory_bytes >> 20)};
      if (silence.elapsed_us() > limits.silence_s * 1e6)
        return {ChildEnd::Kind::silent, fmt::format("ended: no result within {} s", limits.silence_s)};
    }
    return end();
  }

 private:
  /// True if there was a whole line.
  bool hand_over(const std::function<void(const std::string&)>& line) {
    bool any = false;
    for (auto at = text_.find('\n'); at != std::string::npos; at = text_.find('\n')) {
      line(text_.substr(0, at));
      text_.erase(0, at + 1);
      any = true;
    }
    return any;
  }

  int reap() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

  ChildEnd end() {
    const int status = reap();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    std::string how = WIFSIGNALED(status)
                          ? fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                                        ::sigabbrev_np(WTERMSIG(status)))
                          : fmt::format("its process ended with exit code {}", WEXITSTATUS(status));
    if (const std::string words = last_words(said_); !words.empty()) how += ": " + words;
    return {ChildEnd::Kind::crashed, how};
  }

  Pipe measurements_, words_;
  pid_t process_ = -1;
  std::string text_, said_;
};

}  // namespace

ChildEnd run_child(const std::vector<std::string>& arguments, const ChildLimits& limits,
                   const std::function<void(const std::string&)>& line) {
  return Child(arguments).watch(limits, line);
}

void die_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::raise(SIGKILL);  // it was too late to ask
}

}  // namespace ndt::harness
