#include "base/programs.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/process.hpp"

extern char** environ;

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAnswerBytes = std::size_t{64} << 10;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The absolute folders of a list with colons between them.
std::vector<std::string> absolute_folders(const char* list) {
  std::vector<std::string> folders;
  std::istringstream in(list == nullptr ? "" : list);
  for (std::string folder; std::getline(in, folder, ':');)
    if (fs::path(folder).is_absolute()) folders.push_back(folder);
  return folders;
}

/// Process id, or 0 if it cannot be started. Without a descriptor for errors they go nowhere.
pid_t start(std::vector<std::string>& words, int output, std::optional<int> errors = {}) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (errors)
    ::posix_spawn_file_actions_adddup2(&actions, *errors, STDERR_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error =
      ::posix_spawn(&process, words[0].c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? process : 0;
}

/// Up to the end of the stream, or to the first byte too many.
std::string read_answer(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (text.size() <= kAnswerBytes) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return text;
}

constexpr int kNotStarted = 127 << 8;

/// As of waitpid; not 0 where it cannot be had.
int status_of(pid_t process) {
  int status = kNotStarted;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return kNotStarted;
  return status;
}

}  // namespace

std::string find_program(const std::string& name) {
  for (const std::string& folder : absolute_folders(std::getenv("PATH"))) {
    const fs::path file = fs::path(folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) return file.string();
  }
  return {};
}

std::optional<std::string> output_of(std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t process = start(words, ends[1]);
  ::close(ends[1]);
  std::string text = process == 0 ? "" : read_answer(ends[0]);
  ::close(ends[0]);  // whoever writes on is ended by SIGPIPE
  if (process == 0 || status_of(process) != 0 || text.size() > kAnswerBytes) return std::nullopt;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

ProgramEnd run_program(std::vector<std::string> words) {
  Pipe said;
  const pid_t process = start(words, said.write_end(), said.write_end());
  said.close_write();
  if (process == 0) return {kNotStarted, words[0] + " does not start"};
  ProgramEnd end;
  while (drain(said.read_end(), end.words)) keep_last_words(end.words);
  end.status = status_of(process);
  return end;
}

std::vector<std::string> python_words(const std::string& python, const std::string& code) {
  if (const char* given = std::getenv("PYTHONPATH")) {
    std::string kept;
    for (const std::string& folder : absolute_folders(given)) kept += (kept.empty() ? "" : ":") + folder;
    ::setenv("PYTHONPATH", kept.c_str(), 1);
  }
  return {python, "-c", "import sys; sys.path[:] = [place for place in sys.path if place]; " + code};
}

std::string find_report_python() {
  // Looks for the modules only: to import them takes a second, and the report does it again.
  constexpr const char* kHasModules =
      "from importlib.util import find_spec; sys.exit(not all(map(find_spec, ('pandas', 'matplotlib', "
      "'jinja2'))))";
  const std::string first = find_program("python3");
  for (const std::string& python : {first, std::string("/usr/bin/python3")})
    if (!python.empty() && output_of(python_words(python, kHasModules))) return python;
  return first;
}

void become(std::vector<std::string> words) { ::execv(words[0].c_str(), pointers_to(words).data()); }

}  // namespace ndt::harness
