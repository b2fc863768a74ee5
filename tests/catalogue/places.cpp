// Places that are no readable regular file. Names that no file can have are in pcd_test.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <stdexcept>

#include "catalogue.hpp"

namespace ndt::catalogue {
namespace {

namespace fs = std::filesystem;

void make_fifo(const fs::path& file) {
  if (::mkfifo(file.c_str(), 0600) != 0) throw std::runtime_error("no FIFO " + file.string());
}

void make_socket(const fs::path& file) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = file.string();
  if (name.size() >= sizeof address.sun_path) throw std::runtime_error("too long for a socket: " + name);
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const bool bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no socket " + name);
}

void make_huge(const fs::path& file) {
  std::ofstream(file) << "VERSION 0.7\n";
  fs::resize_file(file, (std::uintmax_t{16} << 30) + 1);  // sparse
}

Entry place(std::string name, std::function<void(const fs::path&)> make, std::string message,
            Format format = Format::pcd) {
  return {std::move(name), format, std::move(make), Refused{std::move(message)}};
}

constexpr const char* kRegular = "; give the path of a regular file";

}  // namespace

Entries places() {
  const auto nothing = [](const fs::path&) {};
  const auto folder = [](const fs::path& file) { fs::create_directory(file); };
  const std::string absent = "there is no such file; check the path";
  return {
      place("absent", nothing, absent),
      place("absent_ply", nothing, absent, Format::ply),
      place("absent_tum", nothing, absent, Format::tum),
      place("directory", folder, std::string("is a directory") + kRegular),
      place("directory_ply", folder, std::string("is a directory") + kRegular, Format::ply),
      place("directory_tum", folder, std::string("is a directory") + kRegular, Format::tum),
      place(
          "dangling_link", [](const fs::path& f) { fs::create_symlink("nowhere", f); }, absent),
      place(
          "link_to_itself", [](const fs::path& f) { fs::create_symlink(f.filename(), f); },
          "its symbolic links form a loop; give the path of a readable file"),
      place("fifo", make_fifo, std::string("is a FIFO (named pipe)") + kRegular),
      place("socket", make_socket, "is not a regular file; give the path of a readable file"),
      place(
          "endless_device", [](const fs::path& f) { fs::create_symlink("/dev/zero", f); },
          std::string("is a character device") + kRegular),
      place("sixteen_gibibytes_and_one", make_huge,
            "has 17179869185 bytes, the limit is 17179869184; split the cloud into smaller files"),
  };
}

}  // namespace ndt::catalogue
