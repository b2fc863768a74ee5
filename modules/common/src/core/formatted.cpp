#include "ndt/core/formatted.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

namespace ndt {

std::string format_values(std::string_view pattern, std::initializer_list<FormatValue> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatValue& value : values)
    std::visit([&store](const auto& v) { store.push_back(v); }, value.value());
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), store);
}

}  // namespace ndt
