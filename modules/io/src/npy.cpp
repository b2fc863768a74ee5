// Clouds as NumPy saves them (.npy): an array of n rows and three or more columns, x y z first.

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/points.hpp"
#include "ndt/io/stored_points.hpp"

namespace ndt::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kNpyAdvice =
    "save an array of shape (n, 3) or wider, float32 or float64, in C order: numpy.save(file, "
    "numpy.ascontiguousarray(points))";

InputError refused(const ByteSource& source, std::string_view what) {
  return refusal(source.name(), "header", what, kNpyAdvice);
}

/// Reads the dictionary in front of the array.
std::string read_header(ByteSource& source) {
  std::array<std::byte, 12> start{};
  if (source.size() < start.size()) throw refused(source, "the file ends before the end of the header");
  source.read(std::span(start).first(8));
  if (!std::ranges::equal(std::as_bytes(std::span(kMagic)), std::span(start).first(kMagic.size())))
    throw refused(source, "does not begin as a NumPy file");
  const auto version = std::to_integer<int>(start[6]);
  if (version < 1 || version > 3) throw refused(source, formatted("version {} is unknown", version));
  const std::size_t bytes = version == 1 ? 2 : 4;
  source.read(std::span(start).subspan(8, bytes));
  const std::uint64_t length = version == 1 ? load<std::uint16_t>(&start[8], std::endian::little)
                                            : load<std::uint32_t>(&start[8], std::endian::little);
  if (length > Limits::kHeaderBytes || length > source.remaining())
    throw refused(source, formatted("{} bytes of header declared, {} bytes follow and {} are the limit",
                                    length, source.remaining(), Limits::kHeaderBytes));
  std::string header(length, '\0');
  source.read(std::as_writable_bytes(std::span(header)));
  return header;
}

/// Returns the text behind 'key': up to one of the characters in `ends`.
std::string_view value_of(const ByteSource& source, std::string_view header, std::string_view key,
                          std::string_view ends) {
  const std::string quoted = formatted("'{}':", key);
  const std::size_t at = header.find(quoted);
  const std::size_t begin =
      at == std::string_view::npos ? at : header.find_first_not_of(' ', at + quoted.size());
  const std::size_t end = begin == std::string_view::npos ? begin : header.find_first_of(ends, begin + 1);
  if (end == std::string_view::npos) throw refused(source, formatted("has no {}", key));
  return header.substr(begin, end - begin);
}

/// The two numbers of "(n, columns".
std::optional<std::array<std::uint64_t, 2>> shape_of(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (!text.starts_with('(') || comma == std::string_view::npos) return std::nullopt;
  std::string_view columns = text.substr(comma + 1);
  columns.remove_prefix(std::min(columns.find_first_not_of(' '), columns.size()));
  const auto rows = parse_whole_number(text.substr(1, comma - 1)), wide = parse_whole_number(columns);
  if (!rows || !wide) return std::nullopt;
  return std::array{*rows, *wide};
}

PointLayout layout_of(const ByteSource& source, std::string_view header) {
  const std::string_view type = value_of(source, header, "descr", ",");
  if (type != "'<f4'" && type != "'<f8'")
    throw refused(source, formatted("the type is {}, not '<f4' or '<f8'", printable(type)));
  if (const std::string_view order = value_of(source, header, "fortran_order", ",}"); order != "False")
    throw refused(source, formatted("fortran_order is {}, not False", printable(order)));
  const std::string_view text = value_of(source, header, "shape", ")");
  const auto shape = shape_of(text);
  if (!shape || (*shape)[1] < 3)
    throw refused(source, formatted("the shape is {}), not (n, 3) or wider", printable(text)));
  const auto [points, columns] = *shape;
  const std::uint64_t bytes = type == "'<f4'" ? 4 : 8;
  if (points > Limits::kPoints || columns > Limits::kRecordBytes / bytes)
    throw refused(source, formatted("the shape ({}, {}) is past the limit of {} points of {} bytes", points,
                                    columns, Limits::kPoints, Limits::kRecordBytes));
  PointLayout layout;
  for (std::size_t axis = 0; axis < 3; ++axis) layout.xyz[axis] = {axis * bytes, axis, bytes};
  layout.points = points;
  layout.record_bytes = columns * bytes;
  layout.columns = columns;
  return layout;
}

}  // namespace

StoredPoints read_stored_npy(const std::filesystem::path& file, CloudInfo* info) {
  ByteSource source(file);
  const std::string header = read_header(source);
  const PointLayout layout = layout_of(source, header);
  StoredPoints points;
  if (layout.all_float32())
    points = read_point_records<float>(source, layout, std::endian::little);
  else
    points = read_point_records<double>(source, layout, std::endian::little);
  if (info) info->trailing_bytes = source.remaining();
  return points;
}

}  // namespace ndt::io
