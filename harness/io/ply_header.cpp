#include "io/ply_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/refusal.hpp"
#include "io/ply_header_lines.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

CoordinatePlace coordinate(const HeaderText& text, const PlyElement& vertex, const PlyProperty& property,
                           const PointLayout& so_far) {
  if (property.type->kind != PlyType::Kind::real)
    throw text.refused(vertex.line, fmt::format("coordinate '{}' of element 'vertex' is {}, not float or double",
                                                printable(property.name), property.type->name));
  return {so_far.record_bytes, so_far.columns, property.type->bytes};
}

PointLayout layout_of(const HeaderText& text, const PlyElement& vertex) {
  if (vertex.count > Limits::kPoints)
    throw text.refused(vertex.line,
                       fmt::format("{} vertices are more than the limit of {} points", vertex.count, Limits::kPoints));
  constexpr std::string_view kNames[] = {"x", "y", "z"};
  std::array<bool, 3> found = {};
  PointLayout layout;
  layout.points = vertex.count;
  for (const PlyProperty& property : vertex.properties) {
    if (property.is_list())
      throw text.refused(vertex.line, fmt::format("property '{}' of element 'vertex' is a list, which is not read here",
                                                  printable(property.name)));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (property.name != kNames[axis]) continue;
      layout.xyz[axis] = coordinate(text, vertex, property, layout);
      found[axis] = true;
    }
    layout.record_bytes += property.type->bytes;  // a header has no room for more than 2^13 properties of 8 bytes
    ++layout.columns;
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!found[axis])
      throw text.refused(vertex.line, fmt::format("element 'vertex' has no property '{}'", kNames[axis]));
  return layout;
}

/// Takes what the element needs at least off the bytes that are left.
void take(const HeaderText& text, const PlyElement& element, PlyEncoding encoding, std::uint64_t& left) {
  // A value of text takes a digit and a separator.
  const std::uint64_t each = encoding == PlyEncoding::ascii ? 2 * element.properties.size() : element.least_bytes();
  if (each != 0 && element.count > left / each)
    throw text.refused(element.line, fmt::format("{} of element '{}' declared, of {} bytes or more each, but {} bytes "
                                                 "are left for them",
                                                 element.count, printable(element.name), each, left));
  left -= element.count * each;
}

}  // namespace

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(), [](const PlyProperty& p) { return p.is_list(); });
}

std::uint64_t PlyElement::least_bytes() const {
  std::uint64_t bytes = 0;
  for (const PlyProperty& p : properties) bytes += p.is_list() ? p.count->bytes : p.type->bytes;
  return bytes;
}

PlyHeader read_ply_header(ByteSource& source) {
  PlyHeaderLines lines(source);
  std::vector<PlyElement>& elements = lines.elements();
  const auto vertex = std::ranges::find(elements, "vertex", &PlyElement::name);
  if (vertex == elements.end()) throw lines.text().missing("element vertex");
  PlyHeader header;
  header.encoding = lines.encoding();
  header.lines = lines.text().count();
  header.vertices = layout_of(lines.text(), *vertex);
  // The last separator of a text may be missing.
  std::uint64_t left = source.remaining() + (header.encoding == PlyEncoding::ascii ? 1 : 0);
  for (auto element = elements.begin(); element <= vertex; ++element)
    take(lines.text(), *element, header.encoding, left);
  header.elements_follow = std::any_of(vertex + 1, elements.end(), [](const PlyElement& element) {
    return element.count > 0 && !element.properties.empty();
  });
  header.before.assign(std::make_move_iterator(elements.begin()), std::make_move_iterator(vertex));
  return header;
}

}  // namespace ndt::harness
