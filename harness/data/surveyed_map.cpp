#include "data/surveyed_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "base/errors.hpp"
#include "base/fnv1a.hpp"
#include "base/process.hpp"
#include "base/programs.hpp"
#include "base/project_folder.hpp"
#include "base/standard_streams.hpp"
#include "data/sources.hpp"
#include "ndt/io/map_metadata.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

/// A format, and what a Python needs to read it.
struct Reader {
  std::string_view extension, packages;
  const char* test;  ///< fails where they are missing
};
constexpr std::array kReaders = {
    Reader{".las", "laspy", "import numpy, laspy"},
    Reader{".laz", "laspy and lazrs",
           "import numpy, laspy; sys.exit(not laspy.LazBackend.detect_available())"},
    Reader{".e57", "pye57", "import numpy, pye57"}};

/// Increase when the tiles become others.
constexpr const char* kKept = "maps_v1";
constexpr const char* kTileM = "20";

/// Null for another format.
const Reader* reader_of(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const reader = std::ranges::find(kReaders, extension, &Reader::extension);
  return reader == kReaders.end() ? nullptr : reader;
}

InputError refused(const fs::path& file, std::string_view what, std::string_view advice) {
  return refusal(printable_name(file.native()), "", what, advice);
}

/// Another text for another file, and after every change of a file: the system sets the last time itself.
std::string state_of(const fs::path& file) {
  struct stat s = {};
  if (::stat(file.c_str(), &s) != 0)
    throw refused(file,
                  errno == ENOENT || errno == ENOTDIR
                      ? "there is no such file"
                      : "cannot be looked at: " + std::generic_category().message(errno),
                  "check the path and its permissions");
  if (!S_ISREG(s.st_mode)) throw refused(file, "is no regular file", "give a file");
  return fmt::format("{} {} {} {}.{} {}.{}", fs::canonical(file).native(), s.st_ino, s.st_size,
                     s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
}

/// A name for people and, after it, one that tells states apart.
std::string folder_name(const fs::path& file, const std::string& state) {
  constexpr std::size_t kShown = 64;
  std::string name = file.stem().string().substr(0, kShown);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  Fnv1a hash;
  for (const char c : state) hash.add(static_cast<unsigned char>(c));
  return fmt::format("{}_{:016x}", name, hash.value());
}

/// Made with its parents, so that what is wrong with it is said before the work.
fs::path folder_of_kept_maps() {
  fs::path folder = cache_folder() / kKept;
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && ::access(folder.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
  if (error)
    throw refused(folder, "cannot be written: " + error.message(),
                  "tiles of maps in LAS, LAZ and E57 are kept there; set NDT_CACHE to another folder");
  return folder;
}

/// The first that can read the format: the one that NDT_EXTRAS_PYTHON names, the one that ./run sets up, the
/// one on PATH.
std::string python_for(const Reader& reader, const fs::path& file, const fs::path& project) {
  std::vector<std::string> tried;
  const char* named = std::getenv("NDT_EXTRAS_PYTHON");
  for (const std::string& python :
       {std::string(named == nullptr ? "" : named), (project / "build/venv-extras/bin/python").string(),
        find_program("python3")}) {
    if (python.empty() || ::access(python.c_str(), X_OK) != 0) continue;
    if (output_of(python_words(python, reader.test))) return python;
    tried.push_back(printable_name(python));
  }
  const std::string found =
      tried.empty() ? "no Python was found" : fmt::format("{} has not got them", fmt::join(tried, " and "));
  throw refused(file, fmt::format("is read with the Python packages {}, and {}", reader.packages, found),
                "./run convert --help installs them in build/venv-extras; NDT_EXTRAS_PYTHON names another "
                "Python that has them");
}

/// Returns what the converter says of itself in a line, without its name; empty unless it refused its input.
std::string complaint(const ProgramEnd& end) {
  constexpr std::string_view kName = "ndt_convert: ";
  if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != static_cast<int>(ExitCode::bad_input)) return "";
  const auto at = end.words.rfind(kName);
  if (at == std::string::npos) return "";
  const std::string line = end.words.substr(at + kName.size());
  return printable_name(line.substr(0, line.find('\n')));
}

InputError failure(const fs::path& file, const fs::path& folder, const ProgramEnd& end) {
  const std::string said = complaint(end);
  if (said.starts_with(printable_name(file.native()))) return InputError(said);
  if (!said.empty())
    return refused(
        file, fmt::format("was not made into tiles: {}", said.substr(0, said.rfind("; "))),
        fmt::format("make room, or set NDT_CACHE to a folder for {}", printable_name(folder.native())));
  return refused(file,
                 fmt::format("was not made into tiles: the converter {}: {}", how_it_ended(end.status),
                             last_words(end.words)),
                 "try ./run convert map FILE --out DIR --tiles 20");
}

void convert(const Reader& reader, const fs::path& file, const fs::path& folder) {
  const fs::path datasets = project_folder("datasets/ndt_convert").parent_path();
  const std::string python = python_for(reader, file, datasets.parent_path());
  notice("ndt-bench: {} is made into tiles, once, in {}\n", printable_name(file.native()),
         printable_name(folder.native()));
  std::vector<std::string> words =
      python_words(python,
                   "from runpy import run_module; sys.path.insert(0, sys.argv.pop(1)); "
                   "run_module('ndt_convert', run_name='__main__', alter_sys=True)");
  for (const std::string& word : {datasets.string(), std::string("map"), file.string(), std::string("--out"),
                                  folder.string(), std::string("--tiles"), std::string(kTileM)})
    words.push_back(word);
  const ProgramEnd end = run_program(words);
  if (end.status != 0 && !fs::exists(folder / kMetadataName))  // unless another process was quicker
    throw failure(file, folder, end);
}

}  // namespace

bool is_surveyed_map(const fs::path& file) {
  std::error_code unreadable;  // which reading the file tells
  return reader_of(file) != nullptr && !fs::is_directory(file, unreadable);
}

fs::path tiles_of_survey(const fs::path& given) {
  const std::string state = state_of(given);
  const fs::path file = fs::absolute(given);  // no option, whatever its name begins with
  const fs::path folder = folder_of_kept_maps() / folder_name(file, state);
  if (fs::exists(folder / kMetadataName)) return folder;
  convert(*reader_of(file), file, folder);
  if (state_of(given) == state) return folder;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  throw refused(given, "has changed while it was made into tiles", "run this again when it is complete");
}

MapFiles map_files(const fs::path& map, BinFields fields) {
  return is_surveyed_map(map) ? MapFiles(tiles_of_survey(map), fields, map) : MapFiles(map, fields);
}

fs::path survey_facts(const fs::path& map) {
  return is_surveyed_map(map) ? tiles_of_survey(map) / kSurveyFacts : fs::path();
}

}  // namespace ndt::harness
