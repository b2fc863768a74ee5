// Files that a description names must be its folder's own.
#pragma once

#include <filesystem>
#include <string>

namespace ndt::io {

/// False for a name that is empty, absolute or goes through "..", and for one that a symbolic link leads out
/// of the folder. The folder itself may be reached by a link. A missing file stays inside.
bool stays_inside(const std::filesystem::path& folder, const std::string& name);

}  // namespace ndt::io
