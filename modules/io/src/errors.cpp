#include "ndt/io/errors.hpp"

#include "ndt/core/formatted.hpp"

namespace ndt::io {

InputError refusal(std::string_view file, std::string_view where, std::string_view what,
                   std::string_view advice) {
  return InputError(formatted("{}: {}{}{}; {}", file, where, where.empty() ? "" : ": ", what, advice));
}

std::string printable_name(std::string_view name) {
  constexpr std::size_t kMost = 500, kHead = 150, kTail = 300;  // the end tells files apart
  std::string all = escaped(name, true);
  if (all.size() <= kMost) return all;
  // Cuts between characters: the later bytes of one in UTF-8 are 10xxxxxx.
  const auto inside = [&](std::size_t i) { return (static_cast<unsigned char>(all[i]) & 0xC0) == 0x80; };
  std::size_t head = kHead, tail = all.size() - kTail;
  while (head > 0 && inside(head)) --head;
  while (tail < all.size() && inside(tail)) ++tail;
  return all.substr(0, head) + "..." + all.substr(tail);
}

}  // namespace ndt::io
