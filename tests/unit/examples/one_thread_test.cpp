// The example of CONTRIBUTING's "Add an implementation" is held to what every implementation is held to.
#include <gtest/gtest.h>

#include "ndt/gpu_persistent/implementations.hpp"
#include "ndt/one_thread/implementations.hpp"
#include "run/repeatability.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

TEST(OneThread, GivesTheBitsOfThePersistentBodyWithEveryLineSearch) {
  for (const LineSearch search : all_values<LineSearch>()) {
    AlignOptions options;
    options.line_search = search;
    const auto example = make_aligner(one_thread::implementations(), "one_thread", options),
               persistent = make_aligner(gpu_persistent::implementations(), "persistent_cpu", options);
    example->set_map(test_clouds::map()), persistent->set_map(test_clouds::map());
    PerScan traced;
    traced.trace = true;
    for (const Pose& offset : test_clouds::offsets(5, 0.4, 0.05)) {
      const AlignResult got = example->align(test_clouds::scan(), to_transform(offset), traced);
      EXPECT_TRUE(
          harness::same_bits(got, persistent->align(test_clouds::scan(), to_transform(offset), traced)))
          << to_string(search);
      EXPECT_EQ(got.trace.size(), static_cast<std::size_t>(got.iterations) + 1);
    }
  }
}

}  // namespace
}  // namespace ndt
