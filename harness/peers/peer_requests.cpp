#include "peers/peer_requests.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/errors.hpp"
#include "base/json_struct.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

struct Prepared {
  double us = 0;
};
constexpr auto fields_of(const Prepared*) { return std::tuple{Field{"us", &Prepared::us}}; }
constexpr const char* keys_of(const Prepared*) { return "us (a number)"; }

}  // namespace

constexpr auto fields_of(const Aligned*) {
  return std::tuple{Field{"pose", &Aligned::pose}, Field{"converged", &Aligned::converged},
                    Field{"iterations", &Aligned::iterations}, Field{"us", &Aligned::us}};
}
constexpr const char* keys_of(const Aligned*) {
  return "pose (16 numbers, row by row), converged (true or false), iterations (a whole number; may be left "
         "out) and us (a number)";
}

constexpr auto fields_of(const Searched*) {
  return std::tuple{Field{"pose", &Searched::pose}, Field{"reliable", &Searched::reliable},
                    Field{"us", &Searched::us}};
}
constexpr const char* keys_of(const Searched*) {
  return "pose (16 numbers, row by row), reliable (true or false; may be left out) and us (a number)";
}

namespace {

/// A cloud's finite offsets as float32 x y z in a file for nobody else, which goes away with this.
class CloudFile {
 public:
  explicit CloudFile(const std::vector<Point>& points) {
    static_assert(sizeof(Point) == 3 * sizeof(float));
    std::error_code unknown;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(unknown);
    path_ = std::filesystem::absolute(folder / "ndt-peer-XXXXXX.f32").string();
    const int file = unknown ? -1 : ::mkostemps(path_.data(), 4, O_CLOEXEC);
    if (file < 0) throw cannot_be_written();
    const char* bytes = reinterpret_cast<const char*>(points.data());
    std::size_t left = points.size() * sizeof(Point);
    for (ssize_t n = 0; left > 0 && (n = ::write(file, bytes, left)) > 0; left -= static_cast<std::size_t>(n))
      bytes += n;
    ::close(file);
    if (left == 0) return;
    ::unlink(path_.c_str());
    throw cannot_be_written();
  }
  ~CloudFile() { ::unlink(path_.c_str()); }
  CloudFile(const CloudFile&) = delete;
  CloudFile& operator=(const CloudFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  InputError cannot_be_written() const {
    return refusal(printable_name(path_), "", "a cloud for a peer cannot be written",
                   "set TMPDIR to a folder with room");
  }
  std::string path_;
};

/// A time above that outside by more than this is no rounding.
constexpr double kRoundingUs = 1;

}  // namespace

double PeerRequests::hand_over(const char* what, const std::vector<Point>& points) {
  const CloudFile file(points);
  const PeerAnswer answer = process_.ask(
      {{"do", what}, {"file", file.path()}, {"threads", threads_}, {"resolution_m", resolution_m_}});
  const double us = read<Prepared>(answer, what).us;
  require_possible(us, answer.outside_us, what);
  return us;
}

/// The shortest of some: what is above it is the scheduler.
double PeerRequests::time_of_the_pipe() {
  constexpr std::size_t kTimes = 11;
  std::vector<double> times_us;
  while (times_us.size() < kTimes) times_us.push_back(process_.ask({{"do", "nothing"}}).outside_us);
  return pipe_us_ = *std::ranges::min_element(times_us);
}

Aligned PeerRequests::align(const char* request, const Transform& guess) {
  const auto aligned =
      ask_honestly<Aligned>({{"do", request}, {"guess", array_of(guess.m)}, {"threads", threads_}});
  if (aligned.iterations && *aligned.iterations < 0)
    throw process_.error(fmt::format("says that it made {} iterations", *aligned.iterations),
                         "count them, or leave the key out");
  return aligned;
}

Searched PeerRequests::search(const Transform& mean, const initial_pose::PosePrior& prior,
                              std::uint64_t seed) {
  return ask_honestly<Searched>({{"do", "search"},
                                 {"guess", array_of(mean.m)},
                                 {"sigma", array_of(prior.sigma)},
                                 {"seed", seed},
                                 {"threads", threads_}});
}

Searched PeerRequests::search_anywhere(std::uint64_t seed) {
  return ask_honestly<Searched>({{"do", "anywhere"}, {"seed", seed}, {"threads", threads_}});
}

/// Time that passes outside and is not in the peer's own went to the pipe, to waiting for a core, or was
/// hidden. What the scheduler does not own up to (a busy host's) it hardly takes five times in a row: then
/// the peer left out work. It may hide a fifth; a verdict on times does not hang on that.
template <class Struct>
Struct PeerRequests::ask_honestly(const nlohmann::ordered_json& request) {
  constexpr int kTries = 5;
  constexpr double kPipes = 6, kSlackUs = 300, kShare = 0.2;
  const std::string name = request.at("do");
  for (int tried = 1; true; ++tried) {
    const PeerAnswer answer = process_.ask(request);
    const auto found = read<Struct>(answer, name);
    require_possible(found.us, answer.outside_us, name);
    require_sensible(found.pose, name);
    const double hidden_us = answer.outside_us - answer.waited_us - found.us;
    if (hidden_us <= kPipes * pipe_us_ + kSlackUs + kShare * found.us) return found;
    if (tried == kTries)
      throw process_.error(
          fmt::format("says that '{}' took {:.0f} us, but {:.0f} us passed here, and an empty request "
                      "takes {:.0f} us",
                      name, found.us, answer.outside_us, pipe_us_),
          "take the time of all of its work");
  }
}

void PeerRequests::require_sensible(const Transform& pose, std::string_view request) const {
  if (const std::string defect = rigid_defect(pose); !defect.empty())
    throw process_.error(fmt::format("answered '{}' with a pose that is not rigid: {}", request, defect),
                         "give a rotation and a translation, row by row");
  for (const int entry : {3, 7, 11})
    if (std::abs(pose.m[entry]) > Limits::kOriginM)
      throw process_.error(
          fmt::format("answered '{}' with a pose {:g} m away", request, std::abs(pose.m[entry])),
          "give the translation in metres, in the map's frame");
}

void PeerRequests::require_possible(double us, double outside_us, std::string_view request) const {
  const bool prepares = request == "map" || request == "scan";
  const bool least = prepares ? us >= 0 : us > 0;
  if (least && us <= outside_us + kRoundingUs) return;
  throw process_.error(
      fmt::format("says that '{}' took {:g} us, but {:.0f} us passed here", request, us, outside_us),
      "take the time by a monotonic clock, in microseconds");
}

template <class Struct>
Struct PeerRequests::read(const PeerAnswer& answer, std::string_view request) const try {
  Struct out;
  read_object(answer.object, out);
  return out;
} catch (const std::exception&) {  // it quotes the library, not the protocol
  throw process_.error(fmt::format("answered '{}' with '{}', where a key is missing or of another type",
                                   request, printable(answer.object.dump(), 80)),
                       fmt::format("give {}", keys_of(static_cast<const Struct*>(nullptr))));
}

}  // namespace ndt::harness
