#include "data/recipe.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/errors.hpp"
#include "base/project_folder.hpp"
#include "io/toml_fields.hpp"
#include "ndt/io/inside_folder.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

}  // namespace ndt::harness
