#include "ndt/core/printable.hpp"

#include "ndt/core/formatted.hpp"

namespace ndt {
namespace {

/// Two bytes that are a control character in UTF-8, U+0080 to U+009F: terminals take some like ESC and a
/// letter.
bool high_control(std::string_view two) {
  const auto second = two.size() == 2 ? static_cast<unsigned char>(two[1]) : 0;
  return second >= 0x80 && second < 0xA0 && two[0] == '\xC2';
}

}  // namespace

std::string escaped(std::string_view text, bool keep_high) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = byte < 0x20 || byte == 0x7F || high_control(text.substr(i, 2)) ||
                         (i > 0 && high_control(text.substr(i - 1, 2)));
    const bool plain = !control && (byte < 0x80 || keep_high);
    out += plain ? std::string(1, text[i]) : formatted("\\x{:02X}", byte);
  }
  return out;
}

std::string printable(std::string_view text, std::size_t shown) {
  return escaped(text.substr(0, shown), false) + (text.size() > shown ? "..." : "");
}

}  // namespace ndt
