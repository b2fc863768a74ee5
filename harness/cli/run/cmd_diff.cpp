// ndt-bench diff: where two implementations part.
#include <fmt/format.h>

#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/map_flags.hpp"
#include "cli/common/print.hpp"
#include "cli/run/print_diff.hpp"
#include "data/load_dataset.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/numbers.hpp"
#include "registry/given_options.hpp"
#include "run/plan.hpp"

namespace ndt::harness {
namespace {

struct DiffCommand {
  std::vector<std::string> implementations, bounds;
  PoseArgument guess;
  MapArguments map;
  std::string scan, dataset;
  std::optional<int> frames;
  AlignArguments align;
  PreparationArguments preparation;
  bool json = false;
};

/// The defaults, but for those given as "quantity=number".
PartingBounds bounds_of(const std::vector<std::string>& given) {
  PartingBounds bounds = kPartingBounds;
  for (const std::string& text : given) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto quantity = named<Quantity>("--bound", text.substr(0, equals));
    const Real<double> value =
        parse_real<double>(std::string_view(text).substr(std::min(equals + 1, text.size())));
    if (quantity == Quantity::end)
      throw UsageError("--bound end: the way an alignment ends has no bound; give another quantity");
    if (value.fault != RealFault::none || !(value.value >= 0))
      throw UsageError(
          fmt::format("--bound '{}': give quantity=number with a number of 0 or more, such as score=1e-6",
                      printable(text)));
    bounds.at(static_cast<std::size_t>(quantity)) = value.value;
  }
  return bounds;
}

/// Both implementations with the same options and map.
class Pair {
 public:
  Pair(const DiffCommand& a, const AlignOptions& options)
      : bounds_(bounds_of(a.bounds)), levels_(options.levels.size()), arguments_(a.align) {
    for (const std::string& name : a.implementations)
      aligners_.push_back(choose_implementation(name).make(options));
  }
  void set_map(const PointCloud& map) {
    for (const auto& aligner : aligners_) aligner->set_map(map);
  }
  NamedDiff diff(std::string frame, std::string guess_name, const PointCloud& scan, const Transform& guess) {
    return {
        std::move(frame), std::move(guess_name),
        diff_alignments(*aligners_[0], *aligners_[1], scan, guess, per_scan(arguments_), bounds_, levels_)};
  }
  const PartingBounds& bounds() const { return bounds_; }

 private:
  PartingBounds bounds_;
  std::size_t levels_;
  const AlignArguments& arguments_;
  std::vector<std::unique_ptr<Aligner>> aligners_;
};

std::vector<NamedDiff> diff_files(const DiffCommand& a, Pair& pair) {
  const Transform guess = pose_from(a.guess, "--guess");
  const GivenMap map(a.map, near(a.map, guess), map_preparation(a.preparation));
  const PreparedCloud scan =
      prepare(read_cloud(a.scan, nullptr, a.map.bin_fields), scan_preparation(a.preparation));
  map.notice_tiles();
  notice_missing(a.guess);
  warn_of_millimetres(map.cloud(), scan.cloud);
  pair.set_map(map.cloud());
  return {pair.diff(printable_name(a.scan), "given", scan.cloud, guess)};
}

std::vector<NamedDiff> diff_dataset(const DiffCommand& a, const Dataset& dataset, Pair& pair) {
  std::vector<NamedDiff> diffs;
  for (const std::size_t frame : spread_frames(dataset.frames.size(), a.frames)) {
    if (diffs.empty() || !dataset.one_map) pair.set_map(dataset.map(frame));
    const PointCloud scan = dataset.scan(frame);
    for (const NamedGuess& guess : dataset.frames[frame].guesses)
      diffs.push_back(pair.diff(dataset.frames[frame].name, guess.name, scan, guess.map_from_scan));
  }
  return diffs;
}

/// The dataset says how large its voxels are, unless an option does.
AlignOptions options_for(const DiffCommand& a, const std::optional<Dataset>& dataset) {
  AlignArguments arguments = a.align;
  auto& resolution_m = arguments[&AlignOptions::resolution_m];
  if (dataset && !resolution_m) resolution_m = dataset->resolution_m;
  return resolve(arguments);
}

ExitCode diff(const DiffCommand& a) {
  if (a.implementations.size() != 2)
    throw UsageError(fmt::format("diff: {} implementations; give two, each with --implementation",
                                 a.implementations.size()));
  if (a.align[&ScanOptions::timeout_ms])
    throw UsageError(
        "diff: --timeout-ms cannot be used: alignments that end by a clock differ between runs; remove it, "
        "or give --max-iterations");
  if (a.dataset.empty() && (a.map.path.empty() || a.scan.empty()))
    throw UsageError("diff: nothing to align; give --map and --scan, or --dataset");
  std::optional<Dataset> dataset;
  if (!a.dataset.empty()) dataset = load_dataset(a.dataset);
  Pair pair(a, options_for(a, dataset));
  const std::vector<NamedDiff> diffs = dataset ? diff_dataset(a, *dataset, pair) : diff_files(a, pair);
  if (a.json) {
    nlohmann::ordered_json json = {{"a", a.implementations[0]}, {"b", a.implementations[1]}};
    json.update(to_json(diffs, pair.bounds()));
    print_json(json);
    return ExitCode::ok;
  }
  fmt::print("A                {}\nB                {}\n{}", a.implementations[0], a.implementations[1],
             to_text(diffs, pair.bounds()));
  return ExitCode::ok;
}

/// The datasets say how their clouds are prepared.
void exclude_preparation(CLI::App& command) {
  CLI::Option& dataset = *command.get_option("--dataset");
  for (CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (name.starts_with("--map-") || name.starts_with("--scan-")) dataset.excludes(option);
  }
}

void add_input(CLI::App& command, DiffCommand& a) {
  CLI::Option& map = add_map_option(command, a.map);
  add_map_radius_flag(command, a.map, "the guess", kUsualReach);
  CLI::Option& scan = *command.add_option("--scan", a.scan, "cloud to register")->type_name("FILE");
  add_pose_flag(command, "--guess", a.guess);
  CLI::Option& dataset =
      *command
           .add_option(
               "--dataset", a.dataset,
               "instead of files: all guesses of a dataset; a name in ndt-bench list or a folder with a "
               "dataset.toml")
           ->type_name("NAME");
  command.add_option("--frames", a.frames, "at most this many frames of the dataset, evenly spread")
      ->type_name("N")
      ->check(CLI::Range(1, static_cast<int>(kCountMost)))
      ->needs(&dataset);
  for (CLI::Option* file : {&map, &scan, command.get_option("--guess"), command.get_option("--guess-ros"),
                            command.get_option("--bin-fields")})
    dataset.excludes(file);
}

}  // namespace

void add_diff(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<DiffCommand>();
  CLI::App& command =
      add_command(app, chosen, "diff",
                  "Where do two implementations part? The first iteration and quantity that differ", a, diff);
  command
      .add_option("--implementation", a->implementations, "implementation of ndt-bench list; required twice")
      ->type_name("NAME")
      ->required();
  add_input(command, *a);
  command
      .add_option("--bound", a->bounds,
                  "QUANTITY=NUMBER: the largest difference that is ignored, of neighbours (0), score (1e-6), "
                  "gradient (5e-5), hessian (1e-5), step (1e-4) or alpha (1e-4); may be repeated")
      ->type_name("TEXT");
  command.add_flag("--json", a->json, "one JSON object on stdout, with units in its key names");
  add_align_flags(command, a->align);
  command.get_option("--timeout-ms")->group("");  // not listed: it is refused
  add_threads_flag(command, a->align);
  add_map_preparation_flags(command, a->preparation);
  add_scan_preparation_flags(command, a->preparation);
  exclude_preparation(command);
}

}  // namespace ndt::harness
