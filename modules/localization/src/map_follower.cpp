#include "ndt/localization/map_follower.hpp"

#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

namespace ndt::localization {
namespace {

MapOutcome built(const MapFollower::Build& build, Aligner& spare, const MapCircle& around) {
  MapOutcome outcome{around, false, std::nullopt};
  try {
    outcome.swapped = build(spare, around);
  } catch (const std::bad_alloc&) {
    outcome.failure = "there is not enough memory for a second map; take in less of it, or thin its tiles";
  } catch (const std::exception& error) {
    outcome.failure = error.what();
  }
  return outcome;
}

}  // namespace

MapFollower::MapFollower(Aligner& live, Aligner& spare, const MapUpdatePolicy& policy, Build build)
    : live_(&live), spare_(&spare), policy_(policy), build_(std::move(build)) {
  if (&live == &spare) throw std::invalid_argument("MapFollower: live and spare are one aligner; give two");
  if (!build_) throw std::invalid_argument("MapFollower: there is nothing to build a map with");
}

bool MapFollower::ready() const {
  return building() && builder_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout;
}

void MapFollower::begin(const MapPlace& vehicle) {
  if (building()) throw std::logic_error("begin: a map is being built; take it before the next is begun");
  builder_ = std::async(built, std::cref(build_), std::ref(*spare_), policy_.around(vehicle));
}

void MapFollower::wait() const {
  if (building()) builder_.wait();
}

MapOutcome MapFollower::take() {
  if (!building()) throw std::logic_error("take: no map is being built; begin one before");
  MapOutcome outcome = builder_.get();
  outcome.failure ? policy_.failed(outcome.around) : policy_.took(outcome.around);
  if (outcome.swapped) std::swap(live_, spare_);
  return outcome;
}

}  // namespace ndt::localization
