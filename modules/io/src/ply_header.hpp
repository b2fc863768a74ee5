// The header of a PLY file, checked for consistency and against the size of the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/points.hpp"

namespace ndt::io {

/// One of the format's eight types of numbers.
struct PlyType {
  std::string_view name, other_name;
  std::uint64_t bytes = 0;
  enum class Kind { signed_integer, unsigned_integer, real } kind = Kind::real;
};

struct PlyProperty {
  std::string name;                ///< as written in the file
  const PlyType* type = nullptr;   ///< type of the number, or of a list's items
  const PlyType* count = nullptr;  ///< type of a list's length, an integer; null for a number
  bool is_list() const { return count != nullptr; }
};

struct PlyElement {
  std::string name;  ///< as written in the file
  std::uint64_t count = 0;
  std::uint64_t line = 0;  ///< in the header
  std::vector<PlyProperty> properties;

  bool has_lists() const;
  /// Size of one record with empty lists.
  std::uint64_t least_bytes() const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> before;  ///< the elements in front of the vertices
  PlyElement vertex;
  PointLayout vertices;          ///< of the numbers of a vertex; lists between them do not count
  bool elements_follow = false;  ///< there are elements behind the vertices
  std::uint64_t lines = 0;       ///< the header's own; a body of text begins on the next
};

/// Reads up to and including the end_header line. Throws ndt::InputError, also if the file is too short for
/// what is declared up to the last vertex.
PlyHeader read_ply_header(ByteSource& source);

}  // namespace ndt::io
