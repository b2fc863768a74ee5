#include "ndt/implementations.hpp"

#include <stdexcept>
#include <vector>

#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "ndt/gpu_multikernel/implementations.hpp"
#include "ndt/gpu_persistent/implementations.hpp"

namespace ndt {
namespace {

/// A new module is a line here.
constexpr std::span<const Implementation> (*kModules[])() = {
    cpu_pclomp_ref::implementations,
    gpu_multikernel::implementations,
    gpu_persistent::implementations,
};

}  // namespace

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
