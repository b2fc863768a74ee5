#include "ndt/io/inside_folder.hpp"

#include <algorithm>
#include <system_error>

namespace ndt::io {

namespace fs = std::filesystem;

bool stays_inside(const fs::path& folder, const std::string& name) {
  const fs::path relative(name);
  if (name.empty() || relative.is_absolute() || std::ranges::count(relative, fs::path("..")) > 0)
    return false;
  std::error_code error;
  const fs::path home = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error) return true;                                              // nothing is there: its reader says so
  const fs::path file = fs::weakly_canonical(home / relative, error);  // as far as it exists
  if (error) return true;
  return std::ranges::mismatch(home, file).in1 == home.end();
}

}  // namespace ndt::io
