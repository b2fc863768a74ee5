#include "run/result_lines.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {

bool ResultLines::next() {
  line_.clear();
  ++number_;
  for (int byte = source_.get(); byte != '\n'; byte = source_.get()) {
    if (byte == ByteSource::kEnd) return false;
    if (line_.size() == Limits::kRowBytes)
      throw refusal(source_.name(), "", fmt::format("a line is longer than {} bytes", Limits::kRowBytes),
                    "begin a new run");
    line_.push_back(static_cast<char>(byte));
  }
  return true;
}

Measurement ResultLines::measurement() const {
  try {
    return parse_measurement(line_);
  } catch (const InputError& error) {
    throw refused(error.what());
  }
}

InputError ResultLines::refused(std::string_view what, std::string_view advice) const {
  return refusal(source_.name(), fmt::format("line {}", number_), what, advice);
}

}  // namespace ndt::harness
