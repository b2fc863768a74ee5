// Lets the harness speak of files, numbers and tiles in the library's words.
#pragma once

namespace ndt::io {}

namespace ndt::harness {
using namespace io;
}
