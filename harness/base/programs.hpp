// Other programs on this machine: found and started without a shell, and without code of the current folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ndt::harness {

/// Returns the program's path on PATH, empty if it is missing. Relative entries of PATH, an empty one among
/// them, mean the current folder and are left out.
std::string find_program(const std::string& name);

/// Returns the standard output of a program, the first of `words` is its path, without trailing line ends;
/// nothing if it failed or said more than any answer is long.
std::optional<std::string> output_of(std::vector<std::string> words);

/// How a program ended.
struct ProgramEnd {
  int status = 0;     ///< as of waitpid; that of exit code 127 if it did not start
  std::string words;  ///< on stdout and stderr, of many the last
};
/// Runs a program, the first of `words` is its path, to its end.
ProgramEnd run_program(std::vector<std::string> words);

/// Returns the words that execute `code` with this Python and its own search path, the current folder
/// removed: Python puts it first, so a downloaded folder could bring modules along. PYTHONPATH of this
/// process loses its relative entries for the same reason. (Python before 3.11 knows no -P, and -I would hide
/// packages that the user installed.)
std::vector<std::string> python_words(const std::string& python, const std::string& code);

/// The Python that makes reports: the first on PATH that has what they need, else the system's, else the
/// first; empty if there is none.
std::string find_report_python();

/// Replaces this process by the program; returns only if that fails, with errno set.
void become(std::vector<std::string> words);

}  // namespace ndt::harness
