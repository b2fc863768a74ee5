#include "watched_workers.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>

namespace ndt::soak {
namespace {

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Worker {
 public:
  Worker(int number, Desk& desk, const std::function<void(int, Desk&)>& work)
      : number_(number), desk_(desk), work_(work) {
    start();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  bool done() const { return process_ <= 0; }

  void look(double limit_s, const std::function<void(const Lost&)>& report) {
    const std::int64_t since = desk_.since_us;
    if (since != 0 && static_cast<double>(now_us() - since) > 1e6 * limit_s) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      replace({desk_.task, desk_.part, SIGKILL, true}, report);
      return;
    }
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) != process_) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      process_ = 0;
    else
      replace({desk_.task, desk_.part, WIFSIGNALED(status) ? WTERMSIG(status) : 0, false}, report);
  }

 private:
  void start() {
    desk_.idle();
    std::fflush(nullptr);
    process_ = ::fork();
    if (process_ < 0) throw std::system_error(errno, std::generic_category(), "start of a worker");
    if (process_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    work_(number_, desk_);
    std::fflush(nullptr);
    ::_exit(0);
  }
  void replace(const Lost& lost, const std::function<void(const Lost&)>& report) {
    report(lost);
    start();
  }

  int number_;
  Desk& desk_;
  const std::function<void(int, Desk&)>& work_;
  pid_t process_ = 0;
};

}  // namespace

void Desk::begin(std::uint64_t new_task, int new_part) {
  task = new_task;
  part = new_part;
  since_us = now_us();
}

SharedMemory::SharedMemory(std::size_t bytes)
    : bytes_(bytes),
      memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
  if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "shared memory");
}
SharedMemory::~SharedMemory() { ::munmap(memory_, bytes_); }

void watch(int processes, double limit_s, const std::function<void(int, Desk&)>& work,
           const std::function<void(const Lost&)>& report) {
  constexpr std::chrono::milliseconds kLook(50);
  const Shared<Desk> desks(static_cast<std::size_t>(processes));
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t k = 0; k < desks.size(); ++k)
    workers.push_back(std::make_unique<Worker>(static_cast<int>(k), desks[k], work));
  while (!workers.empty()) {
    std::this_thread::sleep_for(kLook);
    for (const auto& worker : workers) worker->look(limit_s, report);
    std::erase_if(workers, [](const auto& worker) { return worker->done(); });
  }
}

}  // namespace ndt::soak
