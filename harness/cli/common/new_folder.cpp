#include "cli/common/new_folder.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {

std::filesystem::path new_folder(const std::string& run_id) {
  const std::filesystem::path all = "bench-results";
  make_folder(all);
  std::filesystem::path folder = all / run_id;
  std::error_code error;
  for (int number = 2; !std::filesystem::create_directory(folder, error) && !error; ++number)
    folder = all / fmt::format("{}-{}", run_id, number);
  if (error)
    throw refusal(printable_name(folder.string()), "", "cannot be made: " + error.message(), "give --out");
  return folder;
}

}  // namespace ndt::harness
