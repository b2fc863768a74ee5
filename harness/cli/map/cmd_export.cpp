// ndt-bench export: a dataset as files, so that there is something to align.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/interruptible.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {
namespace {

struct ExportCommand {
  std::string dataset, frame, out;
};

void write(const std::filesystem::path& file, const PointCloud& cloud) {
  write_pcd(file, cloud);
  fmt::print("{} ({} points)\n", printable_name(file.string()), cloud.size());
}

ExitCode export_dataset(const ExportCommand& a) {
  const Dataset dataset = load_with_progress(a.dataset);
  const std::filesystem::path folder = a.out;
  make_folder(folder);
  const auto frame = std::ranges::find(dataset.frames, a.frame, &Frame::name);
  if (!a.frame.empty() && frame == dataset.frames.end())
    throw UsageError(fmt::format("--frame {}: {} has {} frames, from {} to {}", a.frame, dataset.name,
                                 dataset.frames.size(), dataset.frames.front().name,
                                 dataset.frames.back().name));
  const auto index = a.frame.empty() ? 0 : static_cast<std::size_t>(frame - dataset.frames.begin());
  write(folder / "map.pcd", dataset.map(index));
  write(folder / "scan.pcd", dataset.scan(index));
  return ExitCode::ok;
}

}  // namespace

void add_export(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<ExportCommand>();
  CLI::App& command =
      add_command(app, chosen, "export", "Write the clouds of a dataset's frame as map.pcd and scan.pcd", a,
                  export_dataset);
  command.add_option("--dataset", a->dataset, "name in ndt-bench list")->type_name("NAME")->required();
  command.add_option("--frame", a->frame, "frame of a dataset of many scans (default: the first)")
      ->type_name("NAME");
  command.add_option("--out", a->out, "folder, made if needed; older files of these names are replaced")
      ->type_name("DIR")
      ->required();
}

}  // namespace ndt::harness
