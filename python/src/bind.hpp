// The parts of the module, and what they share.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "ndt/align/align_options.hpp"

namespace ndt::python {

void bind_results(nanobind::module_& module);
void bind_aligner(nanobind::module_& module);
void bind_judge(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_localizer(nanobind::module_& module);

/// A keyword's value as set_option() takes it: "2", "direct7", "6,2.5,1".
std::string value_text(nanobind::handle value, const std::string& name);

}  // namespace ndt::python
