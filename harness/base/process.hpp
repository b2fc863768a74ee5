// The means to watch another process: pipes, its last words, how it ended, its memory and its children.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ndt::harness {

/// Both ends close themselves, here and, unless given to it, in a child.
class Pipe {
 public:
  Pipe();  ///< throws std::system_error
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close(0); }
  void close_write() { close(1); }

 private:
  void close(int which);
  int ends_[2] = {-1, -1};
};

/// Appends what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text);

/// The last words of what a process said, fit for one line.
std::string last_words(const std::string& text);
/// Forgets all but the end of what a process said.
void keep_last_words(std::string& text);

/// "ended with exit code 3" or "was ended by signal 11 (SEGV)", from a status of waitpid.
std::string how_it_ended(int status);

/// Resident memory of a process and all that it started; what cut itself loose belongs to the next
/// OwnedChildren above.
std::int64_t resident_bytes(pid_t process);
/// Most that a process has had at once since its program began, 0 where it cannot be read. getrusage's
/// ru_maxrss goes back farther, to the process that started it.
std::int64_t peak_resident_bytes(pid_t process);
/// CPU time that a process and all that it started have taken, of those that still run [s].
double cpu_seconds(pid_t process);
/// Ends a process and all that it started; what cut itself loose belongs to the next OwnedChildren above.
void kill_tree(pid_t process);

/// The children that this process starts to watch them. What they leave behind, also by forking twice,
/// becomes its child instead of init's, and can be ended.
class OwnedChildren {
 public:
  /// The children of this process. The first call begins to adopt.
  static OwnedChildren& get();
  void add(pid_t child) { started_.push_back(child); }
  /// Called when the child has ended and was waited for.
  void remove(pid_t child) { std::erase(started_, child); }
  /// Ends all children of this process but those added and those that were there before, with all that they
  /// started.
  void end_orphans() const;

 private:
  OwnedChildren();
  std::vector<pid_t> others_;  ///< of the program that this process was before exec
  std::vector<pid_t> started_;
};

}  // namespace ndt::harness
