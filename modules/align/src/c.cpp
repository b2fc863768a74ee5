#include "ndt/c.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "ndt/core/error.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/implementations.hpp"
#include "ndt/initial_pose/verdict.hpp"
#include "ndt/named_options.hpp"

struct ndt_aligner {
  std::unique_ptr<ndt::Aligner> aligner;
  ndt::AlignOptions options;
};

struct ndt_judge {
  ndt::initial_pose::Judge judge;
};

namespace {

static_assert(NDT_CONVERGED == static_cast<int>(ndt::Stop::converged) &&
              NDT_MAX_ITERATIONS == static_cast<int>(ndt::Stop::max_iterations) &&
              NDT_NO_OVERLAP == static_cast<int>(ndt::Stop::no_overlap) &&
              NDT_DEGENERATE == static_cast<int>(ndt::Stop::degenerate) &&
              NDT_NON_FINITE == static_cast<int>(ndt::Stop::non_finite) &&
              NDT_LINE_SEARCH_FAILED == static_cast<int>(ndt::Stop::line_search_failed) &&
              NDT_CANCELLED == static_cast<int>(ndt::Stop::cancelled) &&
              NDT_TIMEOUT == static_cast<int>(ndt::Stop::timeout));

constexpr std::size_t kOptionsBytes = 4096;  // many times all options with the longest values

thread_local std::string last_error;

ndt_status failed(ndt_status status, const char* why) noexcept {
  try {
    last_error = why;
  } catch (...) {  // no memory for the message
    last_error.clear();
  }
  return status;
}

/// Runs the body of a function of the interface; exceptions become its status.
template <class Body>
ndt_status guarded(Body&& body) noexcept {
  try {
    body();
    return NDT_OK;
  } catch (const ndt::InputError& error) {
    return failed(NDT_BAD_INPUT, error.what());
  } catch (const std::logic_error& error) {
    return failed(NDT_BAD_ARGUMENT, error.what());
  } catch (const std::bad_alloc&) {
    return failed(NDT_FAILED, "out of memory");
  } catch (const std::exception& error) {
    return failed(NDT_FAILED, error.what());
  } catch (...) {
    return failed(NDT_FAILED, "unknown error");
  }
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(what) + " is NULL");
}

/// Reads at most one byte more than `most`.
std::string_view bounded(const char* text, std::size_t most, const char* what) {
  const std::size_t size = ::strnlen(text, most + 1);
  if (size > most)
    throw std::invalid_argument(std::string(what) + ": more than " + std::to_string(most) +
                                " bytes before the 0 that ends it");
  return {text, size};
}

/// Keeps `points * stride` far from overflow.
void require_possible(std::size_t points, std::size_t stride, const char* what) {
  if (points > ndt::Limits::kPoints)
    throw ndt::InputError(std::string(what) + ": " + std::to_string(points) + " points, at most " +
                          std::to_string(ndt::Limits::kPoints) + " are possible");
  if (stride > ndt::Limits::kRecordBytes)
    throw std::invalid_argument(std::string(what) + "->stride = " + std::to_string(stride) + ": at most " +
                                std::to_string(ndt::Limits::kRecordBytes) + " bytes from point to point");
}

ndt::PointCloud cloud_from(const ndt_cloud* given, const char* what) {
  require(given, what);
  const std::size_t stride = given->stride == 0 ? sizeof(ndt::Point) : given->stride;
  if (given->points > 0) require(given->xyz, (std::string(what) + "->xyz").c_str());
  if (stride < sizeof(ndt::Point))
    throw std::invalid_argument(std::string(what) + "->stride = " + std::to_string(stride) +
                                ": a point takes 12 bytes or more");
  require_possible(given->points, stride, what);
  ndt::PointCloud cloud;
  cloud.origin = {given->origin[0], given->origin[1], given->origin[2]};
  cloud.points.resize(given->points);
  const char* at = reinterpret_cast<const char*>(given->xyz);
  for (ndt::Point& point : cloud.points) {
    std::memcpy(&point, at, sizeof(point));
    at += stride;
  }
  return cloud;
}

ndt::DeviceCloud cloud_from(const ndt_device_cloud* given, const char* what) {
  require(given, what);
  if (given->struct_size < sizeof(ndt_device_cloud))
    throw std::invalid_argument(std::string(what) + "->struct_size = " + std::to_string(given->struct_size) +
                                ": set it to sizeof(ndt_device_cloud)");
  require_possible(given->size, given->stride, what);
  for (const std::size_t offset : given->offsets)
    if (offset > ndt::Limits::kPoints * ndt::Limits::kRecordBytes)
      throw std::invalid_argument(std::string(what) + "->offsets: " + std::to_string(offset) +
                                  " bytes lie beyond every possible cloud");
  ndt::DeviceCloud cloud;
  cloud.points = given->points;
  cloud.size = given->size;
  if (given->stride != 0) cloud.stride_bytes = static_cast<std::ptrdiff_t>(given->stride);
  if (std::any_of(given->offsets, given->offsets + 3, [](std::size_t bytes) { return bytes != 0; })) {
    cloud.x_bytes = static_cast<std::ptrdiff_t>(given->offsets[0]);
    cloud.y_bytes = static_cast<std::ptrdiff_t>(given->offsets[1]);
    cloud.z_bytes = static_cast<std::ptrdiff_t>(given->offsets[2]);
  }
  cloud.origin = {given->origin[0], given->origin[1], given->origin[2]};
  cloud.stream = given->stream;
  return cloud;
}

ndt_result result_from(const ndt::AlignResult& r) {
  ndt_result out{};
  std::copy_n(r.map_from_scan.m, 16, out.map_from_scan);
  out.stop = static_cast<ndt_stop>(r.stop);
  out.iterations = r.iterations;
  out.correspondences = r.correspondences;
  out.dropped_points = r.dropped_points;
  out.score = r.score;
  out.transform_probability = r.transform_probability;
  out.nvtl = r.nvtl;
  std::copy_n(r.hessian.m, 36, out.hessian);
  if (const auto& covariance = r.laplace_covariance) {
    out.has_covariance = 1;
    out.covariance_xx = covariance->xx, out.covariance_xy = covariance->xy,
    out.covariance_yy = covariance->yy;
  }
  if (r.finish) {
    out.has_finish = 1;
    out.finish_step_m = r.finish->step_m, out.finish_score = r.finish->score;
  }
  return out;
}

/// Refuses a result whose size does not reach the members of the first version.
void require_size(const ndt_result* result) {
  require(result, "result");
  if (result->struct_size < offsetof(ndt_result, has_covariance))
    throw std::invalid_argument("result->struct_size = " + std::to_string(result->struct_size) +
                                ": set it to sizeof(ndt_result)");
}

/// Takes the members that a judge looks at. Members that a caller of an older version lacks are 0.
ndt::AlignResult result_from(const ndt_result* given) {
  require_size(given);
  ndt_result known{};
  std::memcpy(&known, given, std::min(given->struct_size, sizeof(known)));
  std::underlying_type_t<ndt_stop> stop{};  // read as a number, because an enum may hold its names alone
  std::memcpy(&stop, &known.stop, sizeof(stop));
  if (stop > NDT_TIMEOUT)
    throw std::invalid_argument("result->stop = " + std::to_string(stop) +
                                ": give a result of ndt_aligner_align()");
  ndt::AlignResult result;
  std::copy_n(known.map_from_scan, 16, result.map_from_scan.m);
  result.stop = static_cast<ndt::Stop>(stop);
  result.transform_probability = known.transform_probability;
  result.nvtl = known.nvtl;
  if (known.has_covariance != 0)
    result.laplace_covariance =
        ndt::PositionCovariance{known.covariance_xx, known.covariance_xy, known.covariance_yy};
  return result;
}

ndt_judgement judgement_from(const ndt::initial_pose::PoseJudgement& judgement) {
  ndt_judgement out{};
  out.ok = judgement.ok();
  if (judgement.covariance) {
    out.has_covariance = 1;
    std::copy_n(judgement.covariance->m, 36, out.covariance);
  }
  const std::string reasons = reasons_text(judgement);
  reasons.copy(out.reasons, sizeof(out.reasons) - 1);
  return out;
}

/// Callers of an older version have a shorter structure; the newer members are not written.
template <class Struct>
void hand_over(Struct from, Struct* to) {
  const std::size_t size = std::min(to->struct_size, sizeof(from));
  from.struct_size = to->struct_size;
  std::memcpy(to, &from, size);
}

/// Cloud: ndt_cloud or ndt_device_cloud.
template <class Cloud>
ndt_status set_map(ndt_aligner* aligner, const Cloud* map) {
  return guarded([&] {
    require(aligner, "aligner");
    aligner->aligner->set_map(cloud_from(map, "map"));
  });
}

template <class Cloud>
ndt_status align(ndt_aligner* aligner, const Cloud* scan, const double guess[16], ndt_result* result) {
  return guarded([&] {
    require(aligner, "aligner");
    require(guess, "guess");
    require_size(result);
    ndt::Transform start;
    std::copy_n(guess, 16, start.m);
    hand_over(result_from(aligner->aligner->align(cloud_from(scan, "scan"), start)), result);
  });
}

}  // namespace

extern "C" {

ndt_status ndt_aligner_create(const char* implementation, const char* options, ndt_aligner** aligner) {
  return guarded([&] {
    require(aligner, "aligner");
    *aligner = nullptr;
    require(implementation, "implementation");
    const auto name = bounded(implementation, ndt::Limits::kTokenBytes, "implementation");
    const auto chosen =
        ndt::options_from_text(bounded(options == nullptr ? "" : options, kOptionsBytes, "options"));
    *aligner = new ndt_aligner{ndt::make_aligner(name, chosen), chosen};
  });
}

void ndt_aligner_destroy(ndt_aligner* aligner) { delete aligner; }

ndt_status ndt_aligner_set_map(ndt_aligner* aligner, const ndt_cloud* map) { return set_map(aligner, map); }

ndt_status ndt_aligner_set_map_on_device(ndt_aligner* aligner, const ndt_device_cloud* map) {
  return set_map(aligner, map);
}

ndt_status ndt_aligner_align(ndt_aligner* aligner, const ndt_cloud* scan, const double guess[16],
                             ndt_result* result) {
  return align(aligner, scan, guess, result);
}

ndt_status ndt_aligner_align_on_device(ndt_aligner* aligner, const ndt_device_cloud* scan,
                                       const double guess[16], ndt_result* result) {
  return align(aligner, scan, guess, result);
}

ndt_status ndt_judge_create(ndt_aligner* aligner, const ndt_cloud* map, ndt_judge** judge) {
  return guarded([&] {
    require(judge, "judge");
    *judge = nullptr;
    require(aligner, "aligner");
    *judge = new ndt_judge{{*aligner->aligner, cloud_from(map, "map"), aligner->options}};
  });
}

void ndt_judge_destroy(ndt_judge* judge) { delete judge; }

ndt_status ndt_judge_pose(const ndt_judge* judge, ndt_aligner* aligner, const ndt_cloud* scan,
                          const ndt_result* result, ndt_judgement* judgement) {
  return guarded([&] {
    require(judge, "judge");
    require(aligner, "aligner");
    require(judgement, "judgement");
    if (judgement->struct_size < sizeof(ndt_judgement))
      throw std::invalid_argument("judgement->struct_size = " + std::to_string(judgement->struct_size) +
                                  ": set it to sizeof(ndt_judgement)");
    const auto found = judge->judge(*aligner->aligner, cloud_from(scan, "scan"), result_from(result));
    hand_over(judgement_from(found), judgement);
  });
}

ndt_status ndt_aligner_expect_scan(ndt_aligner* aligner) {
  return guarded([&] {
    require(aligner, "aligner");
    aligner->aligner->expect_scan();
  });
}

const char* ndt_last_error(void) { return last_error.c_str(); }

const char* ndt_auto_implementation(void) {
  const char* name = nullptr;
  guarded([&] { name = ndt::auto_implementation().name.data(); });  // a literal
  return name;
}

const char* ndt_implementation_name(size_t index) {
  const auto all = ndt::implementations();
  return index < all.size() ? all[index].name.data() : nullptr;  // literals, which end with 0
}

const char* ndt_stop_name(ndt_stop stop) { return ndt::to_string(static_cast<ndt::Stop>(stop)).data(); }

const char* ndt_version(void) { return NDT_VERSION; }

}  // extern "C"
