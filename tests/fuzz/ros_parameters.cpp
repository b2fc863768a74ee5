// Any bytes as a ROS 2 parameter file. Every parameter that is read has a name and a line, and each typed
// reader takes it or refuses it.
#include "io/ros_parameters.hpp"

#include <cmath>

#include "fuzzing.hpp"

namespace {

using namespace ndt;

void read_every_type(const harness::RosParameters& parameters, const std::string& name) {
  fuzz::require(parameters.has(name) && !name.empty(), "a parameter without a name");
  const auto number =
      fuzz::read_file_or_refuse([&] { return parameters.number(name, Bounds::closed(-1, 1)); });
  if (number) fuzz::require(std::abs(number->value()) <= 1, "a number out of its bounds");
  const auto whole = fuzz::read_file_or_refuse([&] { return parameters.whole(name, -3, 3); });
  if (whole) fuzz::require(std::abs(whole->value()) <= 3, "a whole number out of its bounds");
  fuzz::read_file_or_refuse([&] { return parameters.flag(name); });
  if (const auto list = fuzz::read_file_or_refuse([&] { return parameters.numbers(name); }))
    for (const double value : **list) fuzz::require(std::isfinite(value), "a number that is not finite");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  const auto parameters = fuzz::read_file_or_refuse(
      [&] { return harness::RosParameters::read(file.with(data, size), "ndt_scan_matcher"); });
  if (!parameters) return 0;
  for (const std::string& name : parameters->names()) read_every_type(*parameters, name);
  return 0;
}
