#include "ndt/align/option_table.hpp"

#include "ndt/align/align_options.hpp"

namespace ndt {

void validate(const AlignOptions& options) { require_within(kAlignOptions, options); }

}  // namespace ndt
