// ndt-bench datasets fetch: how a dataset of the catalogue is got; downloads those of its files whose licence
// lets anybody pass them on and which need no conversion.
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/interruption.hpp"
#include "base/programs.hpp"
#include "cli/common/commands.hpp"
#include "data/recipe.hpp"
#include "ndt/core/error.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

struct Arguments {
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

/// Into <file>.part, which takes the file's name if it is the right one.
void download(const RecipeFile& from, const fs::path& file) {
  make_folder(file.parent_path());
  const fs::path part = file.string() + ".part";
  remove_old(part);
  const Interruption noted;
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

/// Tells what became of a file of the dataset, in words.
std::string fetched(const RecipeFile& from, const fs::path& folder, bool recipe_only) {
  const fs::path file = folder / from.name;
  std::error_code error;
  if (!folder.empty() && fs::exists(file, error)) {
    if (has_checksum(file, from.sha256)) return "is there and right";
    throw refusal(printable_name(file.string()), "", "differs from what the catalogue describes",
                  "move it away and fetch again");
  }
  if (from.url.empty()) return "missing: get it as the recipe says";
  if (folder.empty() || recipe_only) return "missing: can be downloaded from " + from.url;
  download(from, file);
  return "downloaded";
}

ExitCode fetch(const Arguments& a) {
  const Recipe recipe = read_recipe(a.name);
  const fs::path folder = a.out.empty() ? recipe.folder : fs::path(a.out);
  print_recipe(recipe, folder);
  if (recipe.files.empty()) fmt::print("files    the catalogue has no checksums of them\n");
  for (const RecipeFile& file : recipe.files)
    fmt::print("  {:<28} {}\n", file.name, fetched(file, folder, a.recipe_only));
  return ExitCode::ok;
}

}  // namespace

void add_datasets(CLI::App& app, Command& chosen) {
  CLI::App& datasets = *app.add_subcommand("datasets", "Get the files of a dataset of the catalogue");
  datasets.require_subcommand(1);
  const auto a = std::make_shared<Arguments>();
  CLI::App& command = add_command(
      datasets, chosen, "fetch",
      "Print how a dataset is got and check its files; download those whose licence lets it", a, fetch);
  command.add_option("NAME", a->name, "dataset of the catalogue, see ndt-bench list")->required();
  command.add_option("--out", a->out, "the dataset's folder (default: below NDT_DATASETS)")->type_name("DIR");
  command.add_flag("--recipe", a->recipe_only, "download nothing");
}

}  // namespace ndt::harness
