#include "base/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/terminal.hpp"

namespace ndt::harness {

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free descriptor is this one, because those below are open.
    const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) ::close(opened);
  }
}

void print_notice(std::string_view text) {
  end_live_line();
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace ndt::harness
