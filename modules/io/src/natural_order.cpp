#include "ndt/io/natural_order.hpp"

#include <algorithm>

namespace ndt::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The digits, or all that comes before the next digit.
std::string_view next_part(std::string_view text) {
  const bool digits = is_digit(text.front());
  const auto end = std::ranges::find_if(text, [&](char c) { return is_digit(c) != digits; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// Negative if a comes before b, 0 if they count as the same.
int compare_parts(std::string_view a, std::string_view b) {
  if (is_digit(a.front()) != is_digit(b.front())) return is_digit(a.front()) ? -1 : 1;
  if (!is_digit(a.front())) return a.compare(b);
  a = without_zeros(a), b = without_zeros(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

bool before_by_byte(const std::filesystem::path& a, const std::filesystem::path& b) {
  return a.filename().native() < b.filename().native();
}

}  // namespace

bool before_naturally(std::string_view a, std::string_view b) {
  std::string_view left = a, right = b;
  while (!left.empty() && !right.empty()) {
    const std::string_view x = next_part(left), y = next_part(right);
    if (const int order = compare_parts(x, y); order != 0) return order < 0;
    left.remove_prefix(x.size()), right.remove_prefix(y.size());
  }
  if (left.empty() != right.empty()) return left.empty();
  return a < b;
}

void sort_by_name(std::vector<std::filesystem::path>& files, NameOrder order) {
  std::ranges::sort(files);
  if (order == NameOrder::name)
    std::ranges::stable_sort(files, before_by_byte);
  else
    std::ranges::stable_sort(files, [](const auto& a, const auto& b) {
      return before_naturally(a.filename().native(), b.filename().native());
    });
}

std::pair<std::string, std::string> first_difference(std::vector<std::filesystem::path> files) {
  std::vector<std::filesystem::path> by_number = files;
  sort_by_name(files, NameOrder::name);
  sort_by_name(by_number);
  const auto [a, b] = std::ranges::mismatch(files, by_number);
  if (a == files.end()) return {};
  return {a->stem().string(), b->stem().string()};
}

}  // namespace ndt::io
