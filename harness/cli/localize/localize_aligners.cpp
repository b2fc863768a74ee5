#include "cli/localize/localize_aligners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/option_flags.hpp"
#include "data/surveyed_map.hpp"
#include "ndt/core/error.hpp"
#include "ndt/initial_pose/search_options.hpp"
#include "run/verdict.hpp"

namespace ndt::harness {
namespace {

using localization::MapFollowing;

constexpr const char* kAlignersGroup = "Map that follows the vehicle";

/// --map-radius is a flag of its own, because it may be `all`.
bool is_flag(std::string_view name) { return name != "map-radius"; }

/// The radius around a pose; nothing for all of the map.
std::optional<double> radius(const LocalizeMapArguments& a) {
  const std::optional<MapArea> area = near(a.map, Transform());
  if (!area) return std::nullopt;
  return area->reach_m;
}

MapFollowing following_of(const LocalizeMapArguments& a) {
  MapFollowing following = a.usual;
  a.following.apply_to(following);
  following.radius_m = radius(a).value_or(following.radius_m);
  return following;
}

struct Voxels {
  double edge_m = 0;
  int points = 0;  ///< fewer make none
};

/// The voxels to try, the best for a dense map first.
std::vector<Voxels> voxels_by_density(const LocalizeAlignersSetting& setting) {
  constexpr int kFewPoints = 4;  // three lie in a plane, whatever surface they are from
  const AlignOptions& given = setting.tracking;
  const int few = setting.points_by_density ? std::min(kFewPoints, given.min_points) : given.min_points;
  std::vector<Voxels> choice{{given.resolution_m, given.min_points}};
  if (few < given.min_points) choice.push_back({given.resolution_m, few});
  if (setting.resolution_by_density)
    for (const double factor : {1.5, 2.0}) choice.push_back({factor * given.resolution_m, few});
  return choice;
}

/// The flag of a map that follows that was given; empty if none was.
std::string given_flag(const LocalizeMapArguments& a) {
  std::string flag;
  if (!a.map.radius.empty() && radius(a)) flag = "--map-radius";
  a.following.for_each([&](const auto& option, const auto& value) {
    if (value) flag = fmt::format("--{}", option.name);
  });
  return flag;
}

void refuse_given(const LocalizeMapArguments& a, const std::string& what_is_no_such_map) {
  if (const std::string flag = given_flag(a); !flag.empty())
    throw UsageError(
        fmt::format("{} requires tiles with metadata that follow the vehicle, but {}; remove the option",
                    flag, what_is_no_such_map));
}

}  // namespace

void add_localize_map_flags(CLI::App& command, LocalizeMapArguments& a) {
  CLI::Option& map = add_map_option(command, a.map);
  map.description(map.get_description() +
                  "; tiles with metadata follow the vehicle; a dataset has its own map");
  add_map_radius_flag(command, a.map, "the vehicle, and other tiles as it moves",
                      std::string(kUsualReach) + ", --init search: and 3 sigma more at first");
  add_flags(command, a.following, kAlignersGroup, Defaults::shown,
            [](const auto& option) { return is_flag(option.name); });
}

void check(const LocalizeMapArguments& a) {
  if (radius(a))
    validate(following_of(a));
  else
    refuse_given(a, "--map-radius all reads the whole map");
  if (a.map.path.empty()) refuse_given(a, "a dataset's own map is read whole");
}

LocalizeAligners::LocalizeAligners(const LocalizeMapArguments& a, const ScanSequence& sequence,
                                   const std::optional<MapArea>& first, LocalizeAlignersSetting setting)
    : setting_(std::move(setting)) {
  if (a.map.path.empty() && !sequence.map)
    throw UsageError("--map is missing: a folder of scans needs the map they were taken in");
  if (!first && radius(a)) refuse_given(a, "a search without --guess reads every tile");
  if (!a.map.path.empty()) {
    MapFiles files = map_files(a.map.path, a.map.bin_fields);
    if (first && files.places_known()) {
      choose_voxels([&] { follow(a, files, *first); });
      return;
    }
    if (!files.places_known()) refuse_given(a, printable_name(a.map.path) + " is not such a map");
    GivenMap map(a.map, std::nullopt, setting_.map_filters);
    map.notice_tiles();
    whole_ = map.take_cloud();
  } else {
    whole_ = prepare(sequence.map(), setting_.map_filters).cloud;
  }
  warn_of_millimetres(whole_, {});
  choose_voxels([&] { tracker_ = another(setting_.tracking); });
}

/// Makes the tracker, with the first of the voxels for which the map is not thin. Few points make a poor
/// voxel, and large voxels are coarse. In a thin map both are nearer to the truth: a right pose has voxels to
/// hold it.
void LocalizeAligners::choose_voxels(const std::function<void()>& make) {
  if (setting_.implementation->own_process) return make();  // it has no voxels of ours
  const std::vector<Voxels> choice = voxels_by_density(setting_);
  for (const Voxels& voxels : choice) {
    const bool first = &voxels == &choice.front(), last = &voxels == &choice.back();
    setting_.tracking.resolution_m = voxels.edge_m, setting_.tracking.min_points = voxels.points;
    try {
      make();
      judge_density();
    } catch (const InputError&) {
      if (last) throw;
      bounds_.covered = 0;
    }
    const bool dense = bounds_.covered >= initial_pose::kThinMap;
    if (!first && (dense || last))
      notice("ndt-bench: voxels           {:g} m with {} points or more, because the map is thin\n",
             voxels.edge_m, voxels.points);
    if (dense) break;
  }
  if (setting_.resolution_by_density && !bounds_.unknown.empty() && !setting_.implementation->peer)
    throw InputError(
        fmt::format("the map is too thin: {:.0f} % of its points have a voxel of {:g} m; give a denser map, "
                    "or --resolution",
                    100 * bounds_.covered, initial_pose::last_edge_m(setting_.tracking)));
  warn_of_thin_map(bounds_.covered, initial_pose::last_edge_m(setting_.tracking));
}

void LocalizeAligners::judge_density() {
  with_map([&](const PointCloud& map) {
    bounds_ = bounds_of(tracker(), map, setting_.tracking, *setting_.implementation);
  });
}

void LocalizeAligners::follow(const LocalizeMapArguments& a, MapFiles files, const MapArea& first) {
  const auto make = [this] { return setting_.implementation->make(setting_.tracking); };
  std::function<PointCloud(PointCloud)> filter;
  if (setting_.map_filters.active())
    filter = [filters = setting_.map_filters](PointCloud cloud) {
      return prepare(std::move(cloud), filters).cloud;
    };
  following_.emplace(
      std::move(files),
      localization::FollowingSetting{
          following_of(a), {{first.low_x, first.low_y}, first.reach_m}, filter, setting_.real_time},
      make);
  notice("ndt-bench: map tiles        {} of {} within {:g} m of ({:g}, {:g}); they follow the vehicle\n",
         following_->tiles(), following_->files().tiles().size(), first.reach_m, first.low_x, first.low_y);
}

std::unique_ptr<Aligner> LocalizeAligners::another(const AlignOptions& options) const {
  std::unique_ptr<Aligner> aligner = setting_.implementation->make(options);
  with_map([&](const PointCloud& map) { aligner->set_map(map); });
  return aligner;
}

std::shared_ptr<const initial_pose::SightLines> LocalizeAligners::sight_lines() const {
  constexpr double kLeafM = 0.5;  // leaves every thing that a ray meets, and little to look at
  if (following_) return nullptr;
  const PointCloud thin = prepare(whole_, {.voxel_leaf_m = kLeafM}).cloud;
  return std::make_shared<const initial_pose::SightLines>(thin);
}

Aligner& LocalizeAligners::searcher() {
  if (!searcher_)
    searcher_ = another(setting_.searching(setting_.tracking));
  else if (searchers_version_ != map_version())
    with_map([&](const PointCloud& map) { searcher_->set_map(map); });
  searchers_version_ = map_version();
  return *searcher_;
}

}  // namespace ndt::harness
