// Lets the converter (library.py) call the library's readers: C functions over arrays that Python owns.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ndt/align/no_returns.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/natural_order.hpp"
#include "ndt/io/points.hpp"
#include "ndt/io/stored_points.hpp"

namespace {

using ndt::Point;
using ndt::Vec3;
using ndt::io::StoredPoints;

/// Room for the text of an error; longer ones are cut.
struct ErrorText {
  char* text;
  std::size_t bytes;

  void set(std::string_view error) const {
    const std::size_t shown = std::min(error.size(), bytes - 1);
    std::memcpy(text, error.data(), shown);
    text[shown] = '\0';
  }
};

/// Runs the work and returns 0, or 1 with the text of the exception, which must not reach Python.
template <class Work>
int without_exceptions(ErrorText error, const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::bad_alloc&) {
    error.set("not enough memory for the points; thin the cloud, or split it");
  } catch (const std::exception& thrown) {
    error.set(thrown.what());
  }
  return 1;
}

template <class T>
std::vector<Vec3<T>> points_at(const void* xyz, std::size_t count) {
  static_assert(sizeof(Vec3<T>) == 3 * sizeof(T));
  std::vector<Vec3<T>> points(count);
  if (count > 0) std::memcpy(points.data(), xyz, count * sizeof(Vec3<T>));
  return points;
}

ndt::PointCloud cloud_at(const void* xyz, std::size_t count, bool doubles) {
  if (doubles) return ndt::io::cloud_of(points_at<double>(xyz, count), "the scan");
  return {{}, points_at<float>(xyz, count)};
}

}  // namespace

extern "C" {

/// Reads the points of a file as stored. Sets *read for ndt_take_points, and their number and type. A
/// callback that makes room would be simpler, but an exception of a signal in it is lost. bin_fields: float32
/// values of a point in .bin, 0 for the default.
[[gnu::visibility("default")]] int ndt_read_points(const char* file, int bin_fields, void** read,
                                                   std::int64_t* points, int* doubles, char* error,
                                                   std::size_t error_bytes) {
  return without_exceptions({error, error_bytes}, [&] {
    const ndt::io::BinFields fields = bin_fields > 0 ? ndt::io::BinFields(bin_fields) : std::nullopt;
    auto stored = std::make_unique<StoredPoints>(ndt::io::read_stored_points(file, nullptr, fields));
    // Coordinates past the library's limit are refused here, as where they are aligned.
    const auto* wide = std::get_if<std::vector<Vec3<double>>>(stored.get());
    if (wide != nullptr) ndt::io::cloud_of(*wide, file);
    *points = std::visit([](const auto& all) { return static_cast<std::int64_t>(all.size()); }, *stored);
    *doubles = wide != nullptr;
    *read = stored.release();
  });
}

/// Copies the points that were read to `xyz`, (n, 3), unless it is null, and frees them.
[[gnu::visibility("default")]] void ndt_take_points(void* read, void* xyz) {
  const std::unique_ptr<StoredPoints> stored(static_cast<StoredPoints*>(read));
  if (xyz == nullptr) return;
  std::visit(
      [&](const auto& all) {
        std::ranges::copy(std::as_bytes(std::span(all)), static_cast<std::byte*>(xyz));
      },
      *stored);
}

/// Fills `causes` with the ndt::NoReturn of each of the (n, 3) points.
[[gnu::visibility("default")]] int ndt_find_no_returns(const void* xyz, std::int64_t points, int doubles,
                                                       std::uint8_t* causes, char* error,
                                                       std::size_t error_bytes) {
  return without_exceptions({error, error_bytes}, [&] {
    const auto count = static_cast<std::size_t>(points);
    const std::vector<ndt::NoReturn> found = ndt::find_no_returns(cloud_at(xyz, count, doubles != 0));
    std::ranges::fill(std::span(causes, count), std::uint8_t{0});
    std::ranges::transform(found, causes,
                           [](ndt::NoReturn cause) { return static_cast<std::uint8_t>(cause); });
  });
}

/// Fills `order` with the indices of those of the file names that are a folder's scans, in the order of the
/// numbers in them or by byte, and sets *scans to how many they are.
[[gnu::visibility("default")]] int ndt_scans_among(const char* const* names, std::int64_t count,
                                                   int by_number, std::int64_t* order, std::int64_t* scans,
                                                   char* error, std::size_t error_bytes) {
  return without_exceptions({error, error_bytes}, [&] {
    const std::span all(names, static_cast<std::size_t>(count));
    std::vector<std::filesystem::path> files = ndt::io::clouds_among({all.begin(), all.end()});
    ndt::io::sort_by_name(files, by_number != 0 ? ndt::io::NameOrder::number : ndt::io::NameOrder::name);
    std::unordered_map<std::string_view, std::int64_t> places;
    for (std::int64_t k = 0; k < count; ++k) places[names[k]] = k;
    for (const auto& file : files) *order++ = places.at(file.native());
    *scans = static_cast<std::int64_t>(files.size());
  });
}

}  // extern "C"
