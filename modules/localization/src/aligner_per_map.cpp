#include "ndt/localization/aligner_per_map.hpp"

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ndt::localization {

/// Aligners that nobody uses, on whatever thread they came back.
class AlignerPerMap::Spares {
 public:
  Spares() { spares_.reserve(2); }  // that give() takes no memory, which a destructor calls
  std::unique_ptr<Aligner> take() {
    const std::lock_guard lock(mutex_);
    if (spares_.empty()) return nullptr;
    std::unique_ptr<Aligner> one = std::move(spares_.back());
    spares_.pop_back();
    return one;
  }
  void give(std::unique_ptr<Aligner> one) {
    const std::lock_guard lock(mutex_);
    spares_.push_back(std::move(one));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Aligner>> spares_;
};

/// An aligner with its map.
class AlignerPerMap::Own final : public ReadyMap {
 public:
  Own(std::shared_ptr<Spares> spares, std::unique_ptr<Aligner> aligner, const Scan& map)
      : spares_(std::move(spares)), aligner_(std::move(aligner)), info_(aligner_->set_map(map)) {}
  ~Own() override { spares_->give(std::move(aligner_)); }

  const MapInfo& info() const override { return info_; }
  Aligner& aligner() const { return *aligner_; }
  bool is_of(const std::shared_ptr<Spares>& spares) const { return spares_ == spares; }

 private:
  std::shared_ptr<Spares> spares_;
  std::unique_ptr<Aligner> aligner_;
  MapInfo info_;
};

AlignerPerMap::AlignerPerMap(Make make) : make_(std::move(make)), spares_(std::make_shared<Spares>()) {
  if (!make_) throw std::invalid_argument("AlignerPerMap: there is nothing to make aligners with");
}
AlignerPerMap::~AlignerPerMap() = default;

std::shared_ptr<const ReadyMap> AlignerPerMap::build(const Scan& map) {
  std::unique_ptr<Aligner> aligner = spares_->take();
  return std::make_shared<const Own>(spares_, aligner ? std::move(aligner) : make_(), map);
}

MapInfo AlignerPerMap::set_map(const Scan& map) {
  const std::shared_ptr<const ReadyMap> built = build(map);
  exchange_map(built);
  return built->info();
}

std::shared_ptr<const ReadyMap> AlignerPerMap::exchange_map(std::shared_ptr<const ReadyMap> map) {
  const Turn turn(*this, "exchange_map");
  std::shared_ptr<const Own> next = std::dynamic_pointer_cast<const Own>(std::move(map));
  if (!next || !next->is_of(spares_))
    throw std::invalid_argument("exchange_map: the map is not of this aligner's build(); build one there");
  return std::exchange(live_, std::move(next));
}

Aligner& AlignerPerMap::live(const char* call) const {
  if (!live_) throw std::logic_error(std::string(call) + ": there is no map; build one and exchange_map()");
  return live_->aligner();
}

AlignResult AlignerPerMap::align(const Scan& scan, const Transform& guess, const PerScan& per_scan) {
  const Turn turn(*this, "align");
  return live("align").align(scan, guess, per_scan);
}
Evaluation AlignerPerMap::evaluate(const Scan& scan, const Transform& pose, const PerScan& per_scan) {
  const Turn turn(*this, "evaluate");
  return live("evaluate").evaluate(scan, pose, per_scan);
}
std::vector<VoxelInfo> AlignerPerMap::voxels() const {
  const Turn turn(*this, "voxels");
  return live("voxels").voxels();
}
Counters AlignerPerMap::counters() const { return live_ ? live_->aligner().counters() : Counters(); }
void AlignerPerMap::submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) {
  const Turn turn(*this, "submit");
  live("submit").submit(scan, guesses, per_scan);
}
void AlignerPerMap::hold(const PointCloud& scan, std::size_t poses) {
  const Turn turn(*this, "hold");
  live("hold").hold(scan, poses);
}
std::span<Point> AlignerPerMap::scan_memory(std::size_t points) {
  const Turn turn(*this, "scan_memory");
  return live_ ? live_->aligner().scan_memory(points) : std::span<Point>();
}
HeldRawScan AlignerPerMap::hold_raw(const Scan& raw, const RawScanUse& use, std::size_t poses) {
  const Turn turn(*this, "hold_raw");
  return live("hold_raw").hold_raw(raw, use, poses);
}
void AlignerPerMap::collect(std::span<AlignResult> out) {
  const Turn turn(*this, "collect");
  live("collect").collect(out);
}
void AlignerPerMap::score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out) {
  const Turn turn(*this, "score_batch");
  live("score_batch").score_batch(scan, poses, out);
}
void AlignerPerMap::reserve(std::size_t points, std::size_t poses) {
  const Turn turn(*this, "reserve");
  live("reserve").reserve(points, poses);
}
void AlignerPerMap::expect_scan() {
  const Turn turn(*this, "expect_scan");
  if (live_) live_->aligner().expect_scan();
}

}  // namespace ndt::localization
