#include "ndt/io/natural_order.hpp"

#include <gmock/gmock.h>

#include "base/io_names.hpp"

namespace ndt::harness {
namespace {

using testing::ElementsAre;
using Files = std::vector<std::filesystem::path>;

Files sorted(Files files, NameOrder order = NameOrder::number) {
  sort_by_name(files, order);
  return files;
}

TEST(NaturalOrder, CountsNumbersInNames) {
  EXPECT_THAT(sorted({"cloud_10.pcd", "cloud_2.pcd", "cloud_1.pcd"}),
              ElementsAre("cloud_1.pcd", "cloud_2.pcd", "cloud_10.pcd"));
  EXPECT_THAT(sorted({"run2-10.pcd", "run10-1.pcd", "run2-9.pcd"}),
              ElementsAre("run2-9.pcd", "run2-10.pcd", "run10-1.pcd"));
  EXPECT_THAT(sorted({"10.bin", "9.bin", "010.bin", "99999999999999999999999.bin"}),
              ElementsAre("9.bin", "010.bin", "10.bin", "99999999999999999999999.bin"));
  EXPECT_THAT(sorted({"b.pcd", "a.pcd", "1.pcd"}), ElementsAre("1.pcd", "a.pcd", "b.pcd"));
  EXPECT_THAT(sorted({"cloud_10.pcd", "cloud_2.pcd"}, NameOrder::name),
              ElementsAre("cloud_10.pcd", "cloud_2.pcd"));
}

TEST(NaturalOrder, NamesTheFirstFilesThatDiffer) {
  EXPECT_EQ(first_difference({"cloud_2.pcd", "cloud_10.pcd", "cloud_1.pcd"}),
            std::pair(std::string("cloud_10"), std::string("cloud_2")));
  EXPECT_EQ(first_difference({"000002.pcd", "000010.pcd"}).first, "");
}

}  // namespace
}  // namespace ndt::harness
