#include "data/kept_pyramid.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/project_folder.hpp"
#include "base/standard_streams.hpp"
#include "io/pyramid_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using initial_pose::PlacePyramid;

/// A smaller one is built in less than 10 ms.
constexpr std::uint64_t kLeastBytes = 1 << 20;

/// Nothing where nothing can be kept.
std::optional<fs::path> folder() {
  try {
    return cache_folder() / "pyramids";
  } catch (const InputError& error) {
    notice("ndt-bench: the place pyramid is not kept: {}\n", error.what());
    return std::nullopt;
  }
}

std::optional<PlacePyramid> read(const fs::path& file, const PyramidSource& source) {
  std::error_code missing;
  if (!fs::exists(fs::symlink_status(file, missing))) return std::nullopt;
  try {
    return read_pyramid(file, source);
  } catch (const InputError& error) {
    notice("ndt-bench: the place pyramid is built anew: {}\n", error.what());
    return std::nullopt;
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw refusal(printable_name(folder.native()), "", "cannot be written: " + error.message(),
                  "set NDT_CACHE to another folder");
}

void keep(const fs::path& file, const PlacePyramid& pyramid, const PyramidSource& source) {
  if (pyramid.bytes() < kLeastBytes) return;
  try {
    make_folder(file.parent_path());
    write_pyramid(file, pyramid, source);
  } catch (const InputError& error) {
    notice("ndt-bench: the place pyramid is not kept: {}\n", error.what());
  }
}

}  // namespace

KeptPyramid kept_pyramid(const PointCloud& map, double cell_m, const Vec3<double>& up) {
  const Stopwatch watch;
  const PyramidSource source = pyramid_source(map, cell_m, up);
  const std::optional<fs::path> place = folder();
  const fs::path file = place ? *place / pyramid_file_name(source) : fs::path();
  if (place)
    if (std::optional<PlacePyramid> pyramid = read(file, source))
      return {std::move(*pyramid), true, watch.elapsed_us()};
  KeptPyramid built{PlacePyramid(map, cell_m, up), false, 0};
  built.us = watch.elapsed_us();
  if (place) keep(file, built.pyramid, source);
  return built;
}

}  // namespace ndt::harness
