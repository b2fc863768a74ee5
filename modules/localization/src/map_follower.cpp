#include "ndt/localization/map_follower.hpp"

#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

namespace ndt::localization {

MapFollower::MapFollower(Aligner& aligner, const MapUpdatePolicy& policy, Build build)
    : aligner_(&aligner), policy_(policy), build_(std::move(build)) {
  if (!build_) throw std::invalid_argument("MapFollower: there is nothing to build a map with");
}

/// On the follower's thread.
MapFollower::Built MapFollower::built(const MapCircle& around) {
  Built built{{around, false, std::nullopt}, nullptr};
  before_.reset();
  try {
    built.map = build_(around);
  } catch (const std::bad_alloc&) {
    built.outcome.failure =
        "there is not enough memory for a second map; take in less of it, or thin its tiles";
  } catch (const std::exception& error) {
    built.outcome.failure = error.what();
  }
  return built;
}

bool MapFollower::ready() const {
  return building() && builder_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout;
}

void MapFollower::begin(const MapPlace& vehicle) {
  if (building()) throw std::logic_error("begin: a map is being built; take it before the next is begun");
  builder_ = std::async([this, around = policy_.around(vehicle)] { return built(around); });
}

void MapFollower::wait() const {
  if (building()) builder_.wait();
}

MapOutcome MapFollower::take() {
  if (!building()) throw std::logic_error("take: no map is being built; begin one before");
  Built built = builder_.get();
  MapOutcome& outcome = built.outcome;
  if (built.map) {
    before_ = aligner_->exchange_map(std::move(built.map));
    outcome.swapped = true;
  }
  outcome.failure ? policy_.failed(outcome.around) : policy_.took(outcome.around);
  return std::move(outcome);
}

}  // namespace ndt::localization
