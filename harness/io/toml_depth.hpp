// How deep a TOML text nests, found without parsing it.
#pragma once

#include <string>
#include <string_view>

namespace ndt::harness {

/// Refuses a key of more than Limits::kTomlLevels parts and brackets nested deeper than that, because the
/// parser follows both by recursion and would exhaust the stack. Throws InputError that names `file` and the
/// line. Text that is not TOML may pass; the parser refuses it.
void require_shallow_toml(std::string_view text, const std::string& file);

}  // namespace ndt::harness
