#include "ndt/implementations.hpp"

#include <stdexcept>
#include <vector>

#include "implementation_modules.hpp"  // of CMakeLists.txt

namespace ndt {

std::span<const Implementation> implementations() {
  static const std::vector<Implementation> all = [] {
    std::vector<Implementation> out;
    for (const auto module : kModules) out.insert(out.end(), module().begin(), module().end());
    return out;
  }();
  return all;
}

const Implementation& auto_implementation() {
  if (const Implementation* taken = fastest(implementations())) return *taken;
  throw std::runtime_error("auto: no implementation can run on this machine");
}

std::unique_ptr<Aligner> make_aligner(std::string_view name, const AlignOptions& options) {
  if (name == "auto") return auto_implementation().make(options);
  return make_aligner(implementations(), name, options);
}

}  // namespace ndt
