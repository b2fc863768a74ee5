// The requests of docs/peers.md to the process of a peer, and what is asked of its answers and times.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "peers/peer_process.hpp"

namespace ndt::harness {

struct Aligned {
  Transform pose;
  bool converged = false;
  std::optional<int> iterations;
  double us = 0;
};

struct Searched {
  Transform pose;
  std::optional<bool> reliable;
  double us = 0;
};

/// A process that serves one map. All calls throw PeerError for what the peer does wrong.
class PeerRequests {
 public:
  PeerRequests(const PeerFile& peer, int threads, double resolution_m)
      : process_(peer), threads_(threads), resolution_m_(resolution_m) {}

  /// Hands over a "map" or a "scan"; gives the time that the peer took to prepare it.
  double hand_over(const char* what, const std::vector<Point>& points);
  /// Measures the time of an empty request, which the other requests' times are judged by.
  double time_of_the_pipe();
  /// `request`: "align" or "follow".
  Aligned align(const char* request, const Transform& guess);
  /// The prior's mean with its heading, though that may be any.
  Searched search(const Transform& mean, const initial_pose::PosePrior& prior, std::uint64_t seed);
  Searched search_anywhere(std::uint64_t seed);
  std::int64_t peak_rss_bytes() const { return process_.peak_rss_bytes(); }

 private:
  template <class Struct>
  Struct ask_honestly(const nlohmann::ordered_json& request);
  template <class Struct>
  Struct read(const PeerAnswer& answer, std::string_view request) const;
  void require_possible(double us, double outside_us, std::string_view request) const;
  void require_sensible(const Transform& pose, std::string_view request) const;

  PeerProcess process_;
  int threads_;
  double resolution_m_;
  double pipe_us_ = 0;
};

}  // namespace ndt::harness
