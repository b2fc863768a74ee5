// ndt-bench datasets fetch: how a dataset of the catalogue is got; downloads those of its files whose licence
// lets anybody pass them on and which need no conversion.
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
  std::string sha256;  ///< 64 digits
  std::string url;     ///< where it is to be had as it is; empty: it is made as Recipe::obtain says
};

/// A dataset's entry in the catalogue, as far as getting it goes.
struct Recipe {
  std::string name, description, licence, source, obtain;
  std::filesystem::path folder;   ///< where its files belong; empty where NDT_DATASETS is not set
  std::string root;               ///< name of that folder below NDT_DATASETS
  std::vector<RecipeFile> files;  ///< in the order of the file; none where the catalogue has no checksums
};

std::vector<std::string> catalogue_names(const fs::path& catalogue) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(catalogue))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

void read_files(TomlTable& toml, Recipe& recipe) {
  if (auto checksums = toml.table("checksums"))
    for (const std::string& file : checksums->keys()) {
      if (!stays_inside(recipe.folder.empty() ? "." : recipe.folder, file))
        checksums->refuse(file, "leads out of the dataset's folder", "name a file below it");
      recipe.files.push_back({file, checksums->required_text(file), ""});
      const std::string& digits = recipe.files.back().sha256;
      if (digits.size() != 64 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
        checksums->refuse(file, "is not a SHA-256 checksum", "give its 64 hexadecimal digits");
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

bool has_checksum(const fs::path& file, const std::string& sha256) {
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
    if (has_checksum(file, from.sha256)) return {"is there and right"};
    throw refusal(printable_name(file.string()), "", "differs from what the catalogue describes",
                  "move it away and fetch again");
  }
  if (from.url.empty()) return {"missing: get it as the recipe says", false};
  if (folder.empty() || recipe_only) return {"missing: can be downloaded from " + from.url, false};
  download(from, file);
  return {"downloaded"};
}

/// Prints a line a file. Returns how many are missing.
std::size_t fetch_files(const Recipe& recipe, const fs::path& folder, bool recipe_only) {
  std::size_t missing = 0;
  for (const RecipeFile& file : recipe.files) {
    const Fetched now = fetched(file, folder, recipe_only);
    missing += !now.there;
    fmt::print("  {:<28} {}\n", file.name, now.words);
  }
  return missing;
}

ExitCode fetch(const DatasetsCommand& a) {
  const Recipe recipe = read_recipe(a.name);
  const fs::path folder = a.out.empty() ? recipe.folder : fs::path(a.out);
  print_recipe(recipe, folder);
  if (recipe.files.empty()) {
    fmt::print("files    the catalogue has no checksums of them\n");
    std::error_code error;
    if (!folder.empty() && fs::exists(folder, error)) return ExitCode::ok;
    notice("ndt-bench: datasets fetch: {} is missing; get it as the recipe says\n", recipe.name);
    return ExitCode::bad_input;
  }
  const std::size_t missing = interruptible(
      [&] { return fetch_files(recipe, folder, a.recipe_only); },
      [&] {
        return fmt::format("files that are complete are kept; for the rest: ndt-bench datasets fetch {}",
                           a.name);
      });
  if (missing == 0) return ExitCode::ok;
  notice("ndt-bench: datasets fetch: {} of {} files of {} are missing\n", missing, recipe.files.size(),
         recipe.name);
  return ExitCode::bad_input;
}

}  // namespace

void add_datasets(CLI::App& app, Command& chosen) {
  CLI::App& datasets = *app.add_subcommand("datasets", "Get the files of a dataset of the catalogue");
  datasets.require_subcommand(1);
  const auto a = std::make_shared<DatasetsCommand>();
  CLI::App& command = add_command(
      datasets, chosen, "fetch",
      "Print how a dataset is got and check its files; download those whose licence lets it", a, fetch);
  command.add_option("NAME", a->name, "dataset of the catalogue, see ndt-bench list")->required();
  command.add_option("--out", a->out, "the dataset's folder (default: below NDT_DATASETS)")->type_name("DIR");
  command.add_flag("--recipe", a->recipe_only, "download nothing");
}

}  // namespace ndt::harness
