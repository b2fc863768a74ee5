#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/edge/device_aligner.cuh"
#include "ndt/exec/chunks.hpp"

namespace ndt {

namespace {
bool can_end_early(const PerScan& per_scan) {
  return per_scan.deadline.has_value() || per_scan.stop.stop_possible();
}

/// Calls f; if it throws, waits for what it began before the exception is passed on. What only f needed goes
/// back to the device.
template <class F>
void run_and_trim(cuda::Context& context, F&& f) {
  try {
    f();
  } catch (...) {
    context.settle();
    context.trim();
    throw;
  }
  context.trim();
}

std::unique_ptr<DeviceVoxelMap> windows_of(const DeviceMapCloud& cloud, cuda::Context& context,
                                           const AlignOptions& options) {
  return std::make_unique<DeviceVoxelMap>(DeviceVoxelMap::windows(context, cloud, options));
}

/// Tiles of a map in a device's memory.
class DeviceSite {
  using Maps = LevelMaps<DeviceVoxelMap>;

 public:
  using Voxels = DeviceTileVoxels;
  using Map = DeviceVoxelMap;
  struct Cloud : DeviceMapCloud {
    Cloud(const DeviceSite& site, std::span<const Point> points, const AlignOptions& options)
        : DeviceMapCloud(site.home_->context, {}, points, options) {}
  };

  explicit DeviceSite(const AlignOptions& options) : home_(std::make_shared<Home>(options)) {}

  Voxels voxels(const Cloud& cloud, const Vec3<double>& position, const AlignOptions& options) const {
    return {home_->context, cloud.points(position), options};
  }
  std::unique_ptr<DeviceVoxelMap> map(const CloudFacts& facts,
                                      const std::vector<std::shared_ptr<const Voxels>>& tiles,
                                      const AlignOptions& options, const DeviceVoxelMap*) const {
    std::vector<const Voxels*> all;
    for (const auto& tile : tiles) all.push_back(tile.get());
    return std::make_unique<DeviceVoxelMap>(home_->context, facts, all, options);
  }
  std::unique_ptr<DeviceVoxelMap> windows(const CloudFacts& facts, const std::vector<const Cloud*>& clouds,
                                          const AlignOptions& options, const DeviceVoxelMap*,
                                          std::span<const PointBox>) const {
    const std::vector<const DeviceMapCloud*> parts(clouds.begin(), clouds.end());
    return windows_of({home_->context, facts, parts}, home_->context, options);
  }
  std::shared_ptr<const ReadyMap> ready(const AlignOptions& options,
                                        std::vector<std::unique_ptr<DeviceVoxelMap>> levels,
                                        std::unique_ptr<DeviceVoxelMap> windows) const {
    auto maps = std::make_unique<const Maps>(options, std::move(levels), std::move(windows));
    home_->context.synchronise();
    return {maps.release(), [home = home_](const Maps* unused) { home->take_back(unused); }};
  }
  std::optional<Traffic> traffic() const { return home_->context.traffic(); }
  template <class F>
  void run(F&& f) const {
    home_->free_unused();
    run_and_trim(home_->context, f);
  }

 private:
  /// The Context and the maps that go back to it, because it is for one thread at a time.
  class Home {
   public:
    explicit Home(const AlignOptions& options) : context(options.device, options.wait) {}
    /// On any thread.
    void take_back(const Maps* unused) {
      const std::lock_guard lock(mutex_);
      unused_.emplace_back(unused);
    }
    void free_unused() {
      std::vector<std::unique_ptr<const Maps>> unused;
      const std::lock_guard lock(mutex_);
      unused.swap(unused_);
    }

    cuda::Context context;

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<const Maps>> unused_;
  };

  std::shared_ptr<Home> home_;
};

}  // namespace

DeviceAligner::DeviceAligner(const AlignOptions& options)
    : LoopAligner(options),
      context_(options.device, options.wait, options.stream_priority),
      staging_(context_),
      uploaded_(context_),
      device_scan_(context_),
      preparation_(context_, device_scan_),
      outcomes_(context_),
      traces_(context_),
      interrupt_(context_, 1),
      score_scratch_(context_),
      scores_(context_),
      host_scores_(context_),
      point_scores_(context_) {
  if (options.devices != 1)
    throw std::invalid_argument(
        "option devices = " + std::to_string(options.devices) +
        ": this implementation aligns on one device; take persistent_cuda or persistent_cluster_cuda");
}

MapInfo DeviceAligner::set_map(const Scan& map) {
  const DeviceCloud* const cloud = map.on_device();
  return cloud == nullptr ? build_map(host_cloud(map, "set_map")) : build_map(*cloud);
}

template <class Cloud>
MapInfo DeviceAligner::build_map(const Cloud& map) {
  const Turn turn(*this, "set_map");
  give_up();
  std::shared_ptr<const Maps> built;
  run_and_trim(context_, [&] {
    const DeviceMapCloud cloud(context_, map, options());
    auto levels = build_levels(options(), [&](const AlignOptions& level) {
      return std::make_unique<DeviceVoxelMap>(context_, cloud, level);
    });
    std::unique_ptr<DeviceVoxelMap> windows;
    if (options().finish == Finish::windows) windows = windows_of(cloud, context_, options());
    built = std::make_shared<const Maps>(options(), std::move(levels), std::move(windows));
    context_.synchronise();
  });
  use(std::move(built));
  is_own_ = true;
  return maps_->info();
}

void DeviceAligner::reserve(std::size_t points, std::size_t poses) {
  try {
    LoopAligner::reserve(points, poses);
  } catch (const cuda::Error& error) {
    if (error.code() != cudaErrorMemoryAllocation) throw;
    refuse_to_reserve(points, poses, "the device");
  }
}

void DeviceAligner::reserve_more(std::size_t, std::size_t poses) {
  transact([&] { score_scratch_.reserve(poses * kMaxChunks); });
}

std::unique_ptr<ResidentMap> DeviceAligner::resident_map() const {
  return std::make_unique<TiledMap<DeviceSite>>(DeviceSite(options()), options());
}

std::shared_ptr<const ReadyMap> DeviceAligner::exchange_map(std::shared_ptr<const ReadyMap> map) {
  const Turn turn(*this, "exchange_map");
  std::shared_ptr<const Maps> next = require_own<Maps>(std::move(map), options());
  give_up();
  std::shared_ptr<const Maps> before = maps_;
  use(std::move(next));
  if (std::exchange(is_own_, false)) before.reset();
  return before;
}

void DeviceAligner::use(std::shared_ptr<const Maps> maps) {
  maps_ = std::move(maps);
  use_levels(maps_->levels(), maps_->windows(), [](const DeviceVoxelMap& level) { return level.surfaces(); });
  map_changed();
}

std::vector<VoxelInfo> DeviceAligner::voxels() const {
  const Turn turn(*this, "voxels");
  require_map("voxels");
  return maps_->last().voxel_table(context_);
}

/// The room is pinned, and the scan is uploaded from there. In front of it there is room for the bytes that
/// travel with the points, or for the motions of poses.
Point* DeviceAligner::room_for_scan(std::size_t points, std::size_t poses) {
  constexpr std::size_t kAlignment = 256;
  const std::size_t ahead = std::max(bytes_ahead(poses), poses * sizeof(Motion)),
                    wanted = (ahead + kAlignment - 1) / kAlignment * kAlignment,
                    front = std::max(front_, wanted), bytes = front + points * sizeof(Point);
  transact([&] {
    staging_.reserve(bytes);
    uploaded_.reserve(bytes);
  });
  front_ = front;
  return reinterpret_cast<Point*>(staging_.data() + front_);
}

/// The host decides about points that are absurdly far, as it does for its own.
TakenScan DeviceAligner::take_device_scan(const DeviceCloud& scan, std::size_t poses, const char* where) {
  TakenScan taken;
  transact([&] {
    Point* const room = room_for_scan(scan.size, poses);
    if (const std::optional<CopiedPoints> chosen = device_scan_.take(scan, points_on_device(), where)) {
      taken = {points_on_device(), *chosen};
      return;
    }
    PointCloud all;
    all.points.resize(scan.size);
    context_.fetch(all.points.data(), points_on_device(), scan.size * sizeof(Point));
    taken = {room, copy_scan_points(all, options(), where, room)};
  });
  return taken;
}

std::span<Point> DeviceAligner::scan_memory(std::size_t points) {
  const Turn turn(*this, "scan_memory");
  std::span<Point> memory;
  transact([&] { memory = preparation_.memory(points); });
  return memory;
}

std::optional<HeldRawScan> DeviceAligner::prepare_on_device(const Scan& raw, const RawScanUse& use,
                                                            std::size_t poses, TakenScan& taken) {
  const DeviceCloud* const there = raw.on_device();
  const PointCloud* const here = raw.on_host();
  const std::size_t n = there != nullptr ? there->size : here != nullptr ? here->size() : 0;
  const Vec3<double> origin = there != nullptr  ? there->origin
                              : here != nullptr ? here->origin
                                                : Vec3<double>{};
  if (!preparation_.takes(n, origin, use)) return std::nullopt;  // before anything is copied
  std::optional<HeldRawScan> prepared;
  transact([&] {
    room_for_scan(room_for(n), poses);
    const RawPoints points = there != nullptr ? preparation_.there(*there) : preparation_.staged(*here);
    prepared =
        preparation_.prepare(points, origin, static_cast<unsigned>(n), use, points_on_device(), taken.chosen);
    taken.points = points_on_device();
  });
  return prepared;
}

PointCloud DeviceAligner::fetched(const DeviceCloud& scan, const char* where) {
  PointCloud cloud{scan.origin, {}};
  if (scan.size == 0) return cloud;
  transact([&] {
    const StridedPoints points = open_cloud(context_, scan, scan.origin, where);  // before memory is taken
    cloud.points.resize(scan.size);
    room_for_scan(scan.size, 1);
    device_scan_.copy(points, static_cast<unsigned>(scan.size), points_on_device());
    context_.fetch(cloud.points.data(), points_on_device(), scan.size * sizeof(Point));
  });
  return cloud;
}

const Point* DeviceAligner::keep_scan(const TakenScan& scan) {
  transact([&] { context_.upload(points_on_device(), scan.points, scan.chosen.points * sizeof(Point)); });
  return points_on_device();
}

void DeviceAligner::require_room(const ScanView& scan, std::size_t in_front) const {
  const char* points = reinterpret_cast<const char*>(scan.points);
  const bool placed = points == staging_.data() + front_ || is_on_device(scan);
  if (staging_.data() == nullptr || !placed || in_front > front_)
    throw std::logic_error("DeviceAligner: room_for_scan was not asked for this scan and as many poses");
}

PlacedScan DeviceAligner::reserve_scan(const ScanView& scan, std::size_t poses, std::size_t ahead) {
  const std::size_t guesses = poses * sizeof(Transform);
  require_room(scan, guesses + ahead);
  return {points_on_device(),
          reinterpret_cast<const Transform*>(uploaded_.data() + front_ - ahead - guesses)};
}

PlacedScan DeviceAligner::place(const LoopScan& scan, std::span<const LoopRun> runs) {
  const PlacedScan placed = reserve_scan(scan.view(), runs.size(), 0);
  upload_scan(scan.view(), runs, nullptr, 0);
  return placed;
}

void DeviceAligner::fetch(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines,
                          std::span<LoopRun> runs) {
  fetch_outcomes(outcomes, traces, trace_lines, runs.size());
  collect_outcomes(trace_lines, runs);
}

char* DeviceAligner::stage(std::span<const LoopRun> runs, std::size_t behind) {
  char* const first = staging_.data() + front_ - behind - runs.size() * sizeof(Transform);
  char* at = first;
  for (const LoopRun& one : runs) {
    std::memcpy(at, &one.local_guess, sizeof(Transform));
    at += sizeof(Transform);
  }
  return first;
}

const Transform* DeviceAligner::guesses_in_place(std::span<const LoopRun> runs) {
  context_.count_upload(runs.size() * sizeof(Transform));
  return reinterpret_cast<const Transform*>(stage(runs, 0));
}

void DeviceAligner::upload_scan(const ScanView& scan, std::span<const LoopRun> runs, const void* ahead,
                                std::size_t ahead_bytes) {
  stage(runs, ahead_bytes);
  if (ahead_bytes > 0) std::memcpy(staging_.data() + front_ - ahead_bytes, ahead, ahead_bytes);
  upload_staged(runs.size() * sizeof(Transform) + ahead_bytes, scan);
}

void DeviceAligner::upload_staged(std::size_t in_front, const ScanView& scan) {
  const std::size_t first = front_ - in_front, points = static_cast<std::size_t>(scan.size) * sizeof(Point);
  context_.upload(uploaded_.data() + first, staging_.data() + first,
                  in_front + (is_on_device(scan) ? 0 : points));
}

void DeviceAligner::fetch_outcomes(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines,
                                   std::size_t poses) {
  outcomes_.reserve(poses);
  context_.download(outcomes_.data(), outcomes, poses * sizeof(LoopOutcome));
  fetch_traces(traces, trace_lines, poses);
}

LoopOutcome* DeviceAligner::outcomes_in_place(std::size_t poses) {
  outcomes_.reserve(poses);
  for (std::size_t k = 0; k < poses; ++k) {
    outcomes_[k].status = LoopStatus::running;
    outcomes_[k].push_sigmas = kPushesAwaited;
  }
  context_.count_download(poses * sizeof(LoopOutcome));
  return outcomes_.data();
}

template <class There>
void DeviceAligner::await(const PerScan& per_scan, There&& there) {
  constexpr unsigned kLooksBetweenCalls = 4096;  // the calls ask the stream whether the kernel has failed
  const bool watched = can_end_early(per_scan), naps = context_.wait() == Wait::block;
  patience_.begin();
  if (naps && !watched && !there()) context_.sleep();
  for (unsigned looks = 1; !there(); ++looks) {
    if (watched) interrupt(per_scan);
    context_.rest();
    if (looks % kLooksBetweenCalls != 0 && !naps) continue;
    if (context_.done()) break;
    require_patience();
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!there()) throw_no_result();
}

void DeviceAligner::require_patience() {
  if (!patience_.over(HostPatience::Clock::now())) return;
  context_.abandon(DeviceHung(
      "align: the device has not ended " + std::to_string(static_cast<long long>(patience_.seconds())) +
      " s after it should have; this aligner can no longer be used, nor perhaps the device in this process. "
      "See whether another process holds device " +
      std::to_string(context_.device()) +
      " (nvidia-smi) or a debugger has stopped it, and start the process again"));
}

void DeviceAligner::wait_for_kernel() {
  for (patience_.begin(); !context_.done();) context_.rest(), require_patience();
}

void DeviceAligner::throw_no_result() {
  wait_for_kernel();
  context_.synchronise();  // throws the kernel's error
  const std::string wait = wait_in_vain();
  throw DeviceHung(
      "align: " + (wait.empty() ? "the kernel ended without a result" : wait) +
      "; the aligner can be used again. Another process or a profiler may hold multiprocessors of device " +
      std::to_string(context_.device()) +
      "; if it happens again, take an implementation whose blocks do not wait for one another across the "
      "device (persistent_cluster_cuda, multikernel_graph_cuda), and report it");
}

const LoopOutcome& DeviceAligner::outcome_in_place(std::size_t k, const PerScan& per_scan) {
  const volatile LoopStatus& status = outcomes_[k].status;
  await(per_scan, [&] { return status != LoopStatus::running; });
  if (status == LoopStatus::block_missing) throw_no_result();
  return outcomes_[k];
}

const LoopOutcome& DeviceAligner::whole_outcome_in_place(std::size_t k, const PerScan& per_scan) {
  outcome_in_place(k, per_scan);
  const volatile float& push_sigmas = outcomes_[k].push_sigmas;
  await(per_scan, [&] { return push_sigmas != kPushesAwaited; });
  return outcomes_[k];
}

void DeviceAligner::fetch_traces(const LoopTrace* traces, int trace_lines, std::size_t poses) {
  const std::size_t lines = poses * static_cast<std::size_t>(trace_lines);
  traces_.reserve(lines);
  context_.download(traces_.data(), traces, lines * sizeof(LoopTrace));
}

void DeviceAligner::collect_outcomes(int trace_lines, std::span<LoopRun> runs) {
  context_.synchronise();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    runs[k].outcome = outcomes_[k];
    collect_trace(k, trace_lines, runs[k]);
  }
}

void DeviceAligner::collect_trace(std::size_t k, int trace_lines, LoopRun& one) const {
  const LoopTrace* first = traces_.data() + k * static_cast<std::size_t>(trace_lines);
  if (trace_lines > 0) one.trace.assign(first, first + one.outcome.iterations + 1);
}

const volatile int* DeviceAligner::interrupt_word(const PerScan& per_scan, const LoopScan& scan,
                                                  const LoopOptions& options, std::size_t poses) {
  const auto evaluations = static_cast<std::size_t>(options.max_iterations + 1) * StepSearch::kMaxTrials;
  patience_ =
      HostPatience({static_cast<std::size_t>(scan.facts.points), poses, evaluations}, per_scan.deadline);
  interrupt_[0] = static_cast<int>(HostWatch{per_scan}());
  return can_end_early(per_scan) ? interrupt_.data() : nullptr;
}

void DeviceAligner::watch(const PerScan& per_scan) {
  if (!can_end_early(per_scan)) return;
  patience_.begin();
  while (!context_.done()) {
    interrupt(per_scan);
    context_.rest();
    require_patience();
  }
}

void DeviceAligner::interrupt(const PerScan& per_scan) {
  volatile int* word = interrupt_.data();
  if (const LoopStatus status = HostWatch{per_scan}(); status != LoopStatus::running)
    *word = static_cast<int>(status);
}

void DeviceAligner::score(const LoopScan& loop_scan, std::span<const Transform> local_poses,
                          std::span<Score> out) {
  const ScanView scan = loop_scan.view();
  motions_.clear();
  for (const Transform& pose : local_poses) motions_.push_back(loop_start(pose).at.motion);
  const std::size_t poses = motions_.size(), motion_bytes = poses * sizeof(Motion);
  require_room(scan, motion_bytes);
  transact([&] {
    scores_.reserve(poses);
    host_scores_.reserve(poses);
    std::memcpy(staging_.data() + front_ - motion_bytes, motions_.data(), motion_bytes);
    upload_staged(motion_bytes, scan);
    score_poses(context_, last_level().view, last_level().gauss, {points_on_device(), scan.size},
                static_cast<const Motion*>(uploaded(motion_bytes)), static_cast<int>(poses), scores_.data(),
                score_scratch_);
    context_.download(host_scores_.data(), scores_.data(), poses * sizeof(PoseScore));
    context_.synchronise();
  });
  for (std::size_t k = 0; k < poses; ++k) out[k] = score_of(host_scores_[k], loop_scan.facts);
}

std::vector<float> DeviceAligner::point_scores(const LoopScan& loop_scan, const Transform& local_pose) {
  const ScanView scan = loop_scan.view();
  std::vector<float> out(static_cast<std::size_t>(scan.size));
  transact([&] {
    const PlacedScan on_device = reserve_scan(scan, 0, 0);
    upload_scan(scan, {}, nullptr, 0);
    point_scores_.reserve(out.size());
    score_points(context_, last_level().view, last_level().gauss, {on_device.points, scan.size},
                 loop_start(local_pose).at.motion, point_scores_.data());
    context_.download(out.data(), point_scores_.data(), out.size() * sizeof(float));
    context_.synchronise();
  });
  return out;
}

}  // namespace ndt
