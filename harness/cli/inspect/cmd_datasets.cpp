// ndt-bench datasets fetch: how a dataset of the catalogue is got. Downloads those of its files that have a
// public address, and the originals of the others, which the recipe converts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/programs.hpp"
#include "base/project_folder.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/interruptible.hpp"
#include "io/toml_fields.hpp"
#include "ndt/core/error.hpp"
#include "ndt/io/inside_folder.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

/// A file of a dataset, by its path below the dataset's folder.
struct RecipeFile {
  std::string name;
  std::string sha256;  ///< 64 digits; empty for an original that nobody has verified
  std::string url;     ///< where it is to be had as it is; empty: it is made as Recipe::obtain says
};

/// A dataset's entry in the catalogue, as far as getting it goes.
struct Recipe {
  std::string name, description, licence, source, obtain;
  std::filesystem::path folder;       ///< where its files belong; empty where NDT_DATASETS is not set
  std::string root;                   ///< name of that folder below NDT_DATASETS
  std::vector<RecipeFile> files;      ///< in the order of the file; none where the catalogue has no checksums
  std::vector<RecipeFile> originals;  ///< below kOriginals
};

constexpr const char* kOriginals = "originals";
constexpr const char* kUnverified = "unverified";

std::vector<std::string> catalogue_names(const fs::path& catalogue) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(catalogue))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

/// A file of a table of checksums.
RecipeFile read_file(TomlTable& checksums, const std::string& file, const fs::path& folder) {
  if (!stays_inside(folder.empty() ? "." : folder, file))
    checksums.refuse(file, "leads out of the dataset's folder", "name a file below it");
  return {file, checksums.required_text(file), ""};
}

void require_sha256(TomlTable& checksums, const RecipeFile& file, const char* advice) {
  if (file.sha256.size() != 64 || file.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
    checksums.refuse(file.name, "is not a SHA-256 checksum", advice);
}

void read_files(TomlTable& toml, Recipe& recipe) {
  if (auto checksums = toml.table("checksums"))
    for (const std::string& file : checksums->keys()) {
      recipe.files.push_back(read_file(*checksums, file, recipe.folder));
      require_sha256(*checksums, recipe.files.back(), "give its 64 hexadecimal digits");
    }
  if (auto download = toml.table("download"))
    for (const std::string& file : download->keys()) {
      const auto at = std::ranges::find(recipe.files, file, &RecipeFile::name);
      if (at == recipe.files.end())
        download->refuse(file, "has no checksum",
                         "give it one in [checksums]: what is downloaded is compared");
      at->url = download->required_text(file);
    }
}

void read_originals(TomlTable& toml, Recipe& recipe) {
  auto originals = toml.table(kOriginals);
  if (!originals) return;
  const std::string address = originals->required_text("address");
  auto checksums = originals->table("checksums");
  if (!checksums) originals->refuse("checksums", "is missing", "name the files, each with its SHA-256");
  for (const std::string& name : checksums->keys()) {
    RecipeFile file = read_file(*checksums, name, recipe.folder);
    if (file.sha256 == kUnverified)
      file.sha256.clear();
    else
      require_sha256(*checksums, file, "give its 64 hexadecimal digits, or unverified");
    recipe.originals.push_back({fmt::format("{}/{}", kOriginals, name), file.sha256, address + name});
  }
}

/// Throws UsageError listing the names for an unknown one, InputError for an entry that cannot be used.
Recipe read_recipe(std::string_view name) {
  const fs::path catalogue = project_folder("datasets/catalogue");
  const std::vector<std::string> names = catalogue_names(catalogue);
  if (std::ranges::find(names, name) == names.end())
    throw unknown_name("dataset of the catalogue", name, names);
  TomlTable toml = TomlTable::read(catalogue / (std::string(name) + ".toml"));
  Recipe recipe;
  recipe.name = name;
  recipe.description = toml.required_text("description");
  recipe.root = toml.text("root").value_or(recipe.name);
  if (const char* data = std::getenv("NDT_DATASETS"); data != nullptr && *data != '\0')
    recipe.folder = fs::path(data) / recipe.root;
  auto provenance = toml.table("provenance");
  if (!provenance) toml.refuse("provenance", "is missing", "say where the files come from");
  recipe.licence = provenance->required_text("licence");
  recipe.source = provenance->required_text("source");
  recipe.obtain = provenance->required_text("obtain");
  read_files(toml, recipe);
  read_originals(toml, recipe);
  return recipe;
}

struct DatasetsCommand {
  std::string name, out;
  bool recipe_only = false;
};

/// Throws InputError that says how to install it.
std::string program(const std::string& name, const std::string& package) {
  std::string path = find_program(name);
  if (path.empty())
    throw InputError(fmt::format("{} is not on PATH; on Debian: apt-get install {}", name, package));
  return path;
}

/// True also where there is nothing to compare with.
bool has_checksum(const fs::path& file, const std::string& sha256) {
  if (sha256.empty()) return true;
  const auto said = output_of({program("sha256sum", "coreutils"), "--", file.string()});
  return said && (said->starts_with(sha256) || said->starts_with("\\" + sha256));  // \: of an odd name
}

/// Writes <file>.part, which takes the file's name if it is the right one.
void download(const RecipeFile& from, const fs::path& file) {
  make_folder(file.parent_path());
  const fs::path part = file.string() + ".part";
  remove_old(part);
  const auto said =
      output_of({program("curl", "curl"), "--fail", "--location", "--silent", "--proto", "=https,file",
                 "--connect-timeout", "30", "--output", part.string(), "--", from.url});
  const bool right = said && has_checksum(part, from.sha256);
  if (!right) remove_old(part);
  Interruption::check();
  if (!said)
    throw refusal(from.url, "", "curl cannot download it",
                  fmt::format("look at curl -fL '{}', or get the file as the recipe says", from.url));
  if (!right)
    throw refusal(from.url, "", fmt::format("is not the file {} that the catalogue describes", from.name),
                  "what was downloaded is removed; get the file as the recipe says");
  fs::rename(part, file);
}

void print_recipe(const Recipe& recipe, const fs::path& folder) {
  fmt::print("{}: {}\n", recipe.name, recipe.description);
  fmt::print("licence  {}\nsource   {}\nrecipe   {}\n", recipe.licence, recipe.source, recipe.obtain);
  if (folder.empty())
    fmt::print("folder   $NDT_DATASETS/{}; NDT_DATASETS, the folder that holds the datasets, is not set\n",
               recipe.root);
  else
    fmt::print("folder   {}\n", printable_name(folder.string()));
}

/// The state of a file of the dataset.
struct Fetched {
  std::string words;
  bool there = true;
};

Fetched fetched(const RecipeFile& from, const fs::path& folder, bool recipe_only) {
  const fs::path file = folder / from.name;
  std::error_code error;
  if (!folder.empty() && fs::exists(file, error)) {
    if (from.sha256.empty()) return {"is there; nobody has verified its checksum"};
    if (has_checksum(file, from.sha256)) return {"is there and right"};
    throw refusal(printable_name(file.string()), "", "differs from what the catalogue describes",
                  "move it away and fetch again");
  }
  if (from.url.empty()) return {"missing: get it as the recipe says", false};
  if (folder.empty() || recipe_only) return {"missing: can be downloaded from " + from.url, false};
  download(from, file);
  return {from.sha256.empty() ? "downloaded; nobody has verified its checksum" : "downloaded"};
}

/// Prints a line a file. Returns how many are missing.
std::size_t fetch_files(const std::vector<RecipeFile>& files, const fs::path& folder, bool recipe_only) {
  std::size_t missing = 0;
  for (const RecipeFile& file : files) {
    const Fetched now = fetched(file, folder, recipe_only);
    missing += !now.there;
    fmt::print("  {:<28} {}\n", file.name, now.words);
  }
  return missing;
}

/// Whether there is more than originals in the folder of a dataset that has no checksums.
bool holds_a_dataset(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  return !error && std::any_of(begin(entries), end(entries),
                               [](const auto& entry) { return entry.path().filename() != kOriginals; });
}

/// The words for what is missing; empty if nothing is. Gets the originals of what is missing.
std::string missing_after_fetching(const Recipe& recipe, const fs::path& folder, bool recipe_only) {
  std::string missing;
  if (recipe.files.empty()) {
    fmt::print("files    the catalogue has no checksums of them\n");
    if (folder.empty() || !holds_a_dataset(folder))
      missing = fmt::format("{} is missing; get it as the recipe says", recipe.name);
  } else if (const std::size_t count = fetch_files(recipe.files, folder, recipe_only); count > 0) {
    missing = fmt::format("{} of {} files of {} are missing", count, recipe.files.size(), recipe.name);
  }
  if (!missing.empty() && !recipe.originals.empty()) {
    fmt::print("originals of what is missing\n");
    fetch_files(recipe.originals, folder, recipe_only);
  }
  return missing;
}

ExitCode fetch(const DatasetsCommand& a) {
  const Recipe recipe = read_recipe(a.name);
  const fs::path folder = a.out.empty() ? recipe.folder : fs::path(a.out);
  print_recipe(recipe, folder);
  const std::string missing = interruptible(
      [&] { return missing_after_fetching(recipe, folder, a.recipe_only); },
      [&] {
        return fmt::format("files that are complete are kept; for the rest: ndt-bench datasets fetch {}",
                           a.name);
      });
  if (missing.empty()) return ExitCode::ok;
  notice("ndt-bench: datasets fetch: {}\n", missing);
  return ExitCode::bad_input;
}

}  // namespace

void add_datasets(CLI::App& app, Command& chosen) {
  CLI::App& datasets = *app.add_subcommand("datasets", "Get the files of a dataset of the catalogue");
  datasets.require_subcommand(1);
  const auto a = std::make_shared<DatasetsCommand>();
  CLI::App& command = add_command(
      datasets, chosen, "fetch",
      "Print how a dataset is got and check its files; download those and the originals that have an address",
      a, fetch);
  command.add_option("NAME", a->name, "dataset of the catalogue, see ndt-bench list")->required();
  command.add_option("--out", a->out, "the dataset's folder (default: below NDT_DATASETS)")->type_name("DIR");
  command.add_flag("--recipe", a->recipe_only, "download nothing");
}

}  // namespace ndt::harness
