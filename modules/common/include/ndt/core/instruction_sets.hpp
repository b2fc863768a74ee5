// Tells which instruction sets this CPU has, of those that code is compiled for.
#pragma once

namespace ndt {

/// Whether it has what `-march=x86-64-v3` may use. Not inline, so that no copy of it is compiled with that
/// option.
bool has_x86_64_v3();

}  // namespace ndt
