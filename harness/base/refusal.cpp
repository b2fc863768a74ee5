#include "base/refusal.hpp"

#include <fmt/format.h>

namespace ndt::harness {
namespace {

std::string escaped(std::string_view text, bool keep_high) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte != 0x7F && (byte < 0x80 || keep_high);
    out += plain ? std::string(1, c) : fmt::format("\\x{:02X}", byte);
  }
  return out;
}

}  // namespace

InputError refusal(std::string_view file, std::string_view where, std::string_view what, std::string_view advice) {
  return InputError(fmt::format("{}: {}{}{}; {}", file, where, where.empty() ? "" : ": ", what, advice));
}

std::string printable(std::string_view text, std::size_t shown) {
  return escaped(text.substr(0, shown), false) + (text.size() > shown ? "..." : "");
}

std::string printable_name(std::string_view name) { return escaped(name, true); }

}  // namespace ndt::harness
