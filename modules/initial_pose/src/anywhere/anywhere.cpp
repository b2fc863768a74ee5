#include "ndt/initial_pose/anywhere.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "ndt/align/no_returns.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/initial_pose/device_places.hpp"
#include "ndt/initial_pose/place_search.hpp"

namespace ndt::initial_pose {

namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The grids on a device, or null and why not.
std::unique_ptr<DevicePlaces> copied(const PlacePyramid& pyramid, int device, std::string& error) try {
  return std::make_unique<DevicePlaces>(pyramid, device);
} catch (const std::runtime_error& failure) {
  error = failure.what();
  return nullptr;
}

}  // namespace

/// The members that its header hides, in the order in which they are made: threads start after the time is
/// taken.
class AnywhereSearch::State {
 public:
  template <class MakePyramid>
  State(const AlignOptions& options, bool on_device, MakePyramid&& make_pyramid)
      : pyramid(make_pyramid()),
        device(on_device ? copied(pyramid, options.device, device_error) : nullptr),
        pool(on_device ? 0 : options.threads) {}

  Clock::time_point start = Clock::now();
  PlacePyramid pyramid;
  std::string device_error;
  std::unique_ptr<DevicePlaces> device;  ///< null: threads search
  double build_us = us_since(start);
  HostPool pool;
};

double place_cell_m(const AlignOptions& options) { return last_edge_m(options) / 2; }

AnywhereSearch::AnywhereSearch(const PointCloud& map, const AlignOptions& options, bool on_device,
                               std::optional<double> cell_m, const Vec3<double>& up)
    : state_(std::make_unique<State>(options, on_device, [&] {
        return PlacePyramid(map, cell_m.value_or(place_cell_m(options)), up);
      })) {}
AnywhereSearch::AnywhereSearch(PlacePyramid&& grids, const AlignOptions& options, bool on_device)
    : state_(std::make_unique<State>(options, on_device, [&] { return std::move(grids); })) {}
AnywhereSearch::AnywhereSearch(AnywhereSearch&&) noexcept = default;
AnywhereSearch& AnywhereSearch::operator=(AnywhereSearch&&) noexcept = default;
AnywhereSearch::~AnywhereSearch() = default;

PlaceRegion AnywhereSearch::whole_map() const { return initial_pose::whole_map(state_->pyramid); }
double AnywhereSearch::cell_m() const { return state_->pyramid.cell_m(); }
std::uint64_t AnywhereSearch::bytes() const { return state_->pyramid.bytes(); }
bool AnywhereSearch::on_device() const { return state_->device != nullptr; }
const std::string& AnywhereSearch::device_error() const { return state_->device_error; }
double AnywhereSearch::build_us() const { return state_->build_us; }

AnywhereResult AnywhereSearch::run(Aligner& aligner, const PointCloud& given, const PlaceRegion& region,
                                   const Pose& guess, const Strategy& strategy, const SearchOptions& options,
                                   const PerScan& per_scan, const SearchObserver& observer,
                                   const SightLines* sight_lines, const PlaceProgress& progress) {
  validate(options);
  const Clock::time_point start = Clock::now();
  PointCloud room;
  const PointCloud& scan = options.keep_no_returns ? given : without_no_returns(given, room);
  PerScan coarse_limits = per_scan;
  if (per_scan.deadline) coarse_limits.deadline = start + (*per_scan.deadline - start) / 2;
  AnywhereResult result;
  result.coarse = find_places(state_->pyramid, scan, {region, guess, options.particles}, state_->pool,
                              coarse_limits, progress, state_->device.get());
  result.coarse_us = us_since(start);
  std::vector<Pose> starts;
  for (const Place& place : result.coarse.places) starts.push_back(place.pose);
  result.search = search_places(aligner, scan, starts, strategy, options, per_scan, observer, sight_lines);
  if (result.coarse.coverage < 1) {
    add_doubt(result.search.judgement, Doubt::partly_searched);
    if (result.search.judgement.verdict == Verdict::unknown) result.search.reliable = std::nullopt;
  }
  if (!result.search.interrupted) result.search.interrupted = result.coarse.interrupted;
  return result;
}

}  // namespace ndt::initial_pose
