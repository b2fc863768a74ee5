// Preloaded into ndt-bench: the n-th call that touches a run folder fails, does half its work, or ends the
// process. NDT_FAULT_BELOW is the folder, NDT_FAULT_BUT a part of it that is left alone, NDT_FAULT
// "call:n:how" with how = an errno, short, torn (half the work, then the end) or kill, and NDT_FAULT_FILE
// appears when the call has come. Processes that ndt-bench starts are left alone.
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace {

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? "" : value;
}

struct Fault {
  std::string below = variable("NDT_FAULT_BELOW"), but = variable("NDT_FAULT_BUT"),
              file = variable("NDT_FAULT_FILE");
  std::string call, how;
  int left = 0;  // calls until it comes

  Fault() {
    const std::string text = variable("NDT_FAULT");
    const auto first = text.find(':'), last = text.rfind(':');
    if (below.empty() || first == last) return;
    call = text.substr(0, first);
    how = text.substr(last + 1);
    left = std::stoi(text.substr(first + 1, last - first - 1));
    ::unsetenv("LD_PRELOAD");
  }
};

Fault& fault() {
  static Fault only;
  return only;
}
// Before main, so that a process started by this one does not preload it.
[[maybe_unused]] const bool kBegun = !fault().how.empty();

enum class Now { pass, fail, cut };

/// Whether this call is the one: with errno set where it fails.
Now now(const char* call, const std::string& file) {
  Fault& f = fault();
  const bool meant = file.starts_with(f.below) && (f.but.empty() || !file.starts_with(f.but));
  if (f.left == 0 || f.call != call || !meant || --f.left != 0) return Now::pass;
  ::close(original<int(const char*, int, ...)>("open")(f.file.c_str(), O_WRONLY | O_CREAT, 0666));
  if (f.how == "kill") ::raise(SIGKILL);
  if (f.how == "short" || f.how == "torn") return Now::cut;
  errno = std::stoi(f.how);
  return Now::fail;
}

std::string file_of(int descriptor) {
  char name[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), name, sizeof name);
  return length < 0 ? "" : std::string(name, static_cast<std::size_t>(length));
}

template <class Open>
int opened(const char* name, const char* file, int flags, mode_t mode) {
  if (now("open", file) != Now::pass) return -1;
  return original<Open>(name)(file, flags, mode);
}

template <class Write>
ssize_t written(int descriptor, std::size_t size, Write write) {
  const Now what = now("write", file_of(descriptor));
  if (what == Now::fail) return -1;
  const ssize_t done = write(what == Now::cut ? size / 2 : size);
  if (what == Now::cut && fault().how == "torn") ::raise(SIGKILL);
  return done;
}

}  // namespace

extern "C" {

int open(const char* file, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened<int(const char*, int, ...)>("open", file, flags, mode);
}

int open64(const char* file, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened<int(const char*, int, ...)>("open64", file, flags, mode);
}

FILE* fopen64(const char* file, const char* mode) {
  if (now("open", file) != Now::pass) return nullptr;
  return original<FILE*(const char*, const char*)>("fopen64")(file, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  return written(descriptor, size, [&](std::size_t most) {
    return original<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, most);
  });
}

/// As one write of the first piece that has bytes: a caller must take that as a short write anyway.
ssize_t writev(int descriptor, const iovec* pieces, int count) {
  while (count > 1 && pieces->iov_len == 0) ++pieces, --count;
  return count == 0 ? 0 : write(descriptor, pieces->iov_base, pieces->iov_len);
}

int fsync(int descriptor) {
  return now("fsync", file_of(descriptor)) != Now::pass ? -1 : original<int(int)>("fsync")(descriptor);
}

int rename(const char* from, const char* to) noexcept {
  return now("rename", to) != Now::pass ? -1 : original<int(const char*, const char*)>("rename")(from, to);
}

int mkdir(const char* folder, mode_t mode) noexcept {
  return now("mkdir", folder) != Now::pass ? -1 : original<int(const char*, mode_t)>("mkdir")(folder, mode);
}

}  // extern "C"
