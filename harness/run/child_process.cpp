#include "run/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/clock.hpp"
#include "base/interruption.hpp"
#include "base/process.hpp"

extern char** environ;

namespace ndt::harness {
namespace {

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
    OwnedChildren& children = OwnedChildren::get();
    const int error = ::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), "start of a measuring process");
    children.add(process_);
    measurements_.close_write();
    words_.close_write();
  }
  ~Child() {
    if (process_ > 0) {
      kill_tree(process_);
      reap();
    }
    OwnedChildren::get().end_orphans();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ChildEnd watch(const ChildLimits& limits, const std::function<void(const std::string&)>& line) {
    constexpr int kLookMs = 100;
    Stopwatch silence;
    pollfd ready[] = {{measurements_.read_end(), POLLIN, 0}, {words_.read_end(), POLLIN, 0}};
    while (ready[0].fd >= 0 || ready[1].fd >= 0) {
      ::poll(ready, 2, kLookMs);
      Interruption::check();
      if (ready[0].revents != 0) {
        if (!drain(ready[0].fd, text_)) ready[0].fd = -1;
        if (hand_over(line)) silence = Stopwatch();
      }
      if (ready[1].revents != 0) {
        if (!drain(ready[1].fd, said_)) ready[1].fd = -1;
        keep_last_words(said_);
      }
      if (resident_bytes(process_) > limits.memory_bytes)
        return {ChildEnd::Kind::too_large,
                with_last_words(fmt::format("ended: it used more than {} MiB", limits.memory_bytes >> 20))};
      if (silence.elapsed_us() > limits.silence_s * 1e6)
        return {ChildEnd::Kind::silent,
                with_last_words(fmt::format("ended: no result within {} s", limits.silence_s))};
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
    OwnedChildren::get().remove(process_);
    process_ = -1;
    return status;
  }

  ChildEnd end() {
    const int status = reap();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return {ChildEnd::Kind::crashed, with_last_words("its process " + how_it_ended(status))};
  }

  std::string with_last_words(std::string reason) const {
    if (const std::string words = last_words(said_); !words.empty()) reason += ": " + words;
    return reason;
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
