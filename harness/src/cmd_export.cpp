// ndt-bench export: a dataset as files, so that there is something to align.
#include <fmt/format.h>

#include "commands.hpp"
#include "ndt/harness/dataset.hpp"
#include "ndt/harness/io/pcd.hpp"
#include "ndt/harness/output_file.hpp"

namespace ndt::harness {
namespace {

struct Arguments {
  std::string dataset, out;
};

void write(const std::filesystem::path& file, const PointCloud& cloud) {
  write_pcd(file, cloud);
  fmt::print("{} ({} points)\n", file.string(), cloud.size());
}

ExitCode export_dataset(const Arguments& a) {
  const Dataset dataset = load_dataset(a.dataset);
  const std::filesystem::path folder = a.out;
  make_folder(folder);
  write(folder / "map.pcd", dataset.map);
  write(folder / "scan.pcd", dataset.scan);
  return ExitCode::ok;
}

}  // namespace

void add_export(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<Arguments>();
  CLI::App& command =
      add_command(app, chosen, "export", "Write a dataset's clouds as map.pcd and scan.pcd", a, export_dataset);
  command.add_option("--dataset", a->dataset, "name in ndt-bench list")->type_name("NAME")->required();
  command.add_option("--out", a->out, "folder, made if needed; older files of these names are replaced")
      ->type_name("DIR")
      ->required();
}

}  // namespace ndt::harness
