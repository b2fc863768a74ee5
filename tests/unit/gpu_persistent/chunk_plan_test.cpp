#include <gtest/gtest.h>

#include "ndt/exec/chunks.hpp"

namespace ndt {
namespace {

constexpr int kSizes[] = {0,    1,    31,    64,    255,   1000,   2048,   2049,
                          5000, 8192, 12000, 20000, 50000, 100000, 300000, 5000000};

TEST(ChunkPlan, GroupsHoldEveryChunkOnce) {
  for (const int items : kSizes) {
    const ChunkGroups groups = ChunkPlan(items).groups;
    EXPECT_LE(groups.groups, kChunkGroups) << items;
    EXPECT_GE(groups.groups * groups.per_group, groups.chunks) << items;
    EXPECT_LT((groups.groups - 1) * groups.per_group, groups.chunks) << items;
    EXPECT_LE(groups.per_group, kMostChunksPerGroup) << items;
  }
}

TEST(ChunkPlan, FewerItemsAreCutIntoAsManyChunks) {
  for (const int items : {1, 63, 200, 1250, 5000})
    for (const int count : {1, 4, 79, 128}) {
      const Chunks cut(items, count);
      EXPECT_EQ(cut.count, count);
      EXPECT_EQ(cut.size % kChunkMultiple, 0);
      int seen = 0;
      for (int chunk = 0; chunk < count; ++chunk) {
        if (cut.begin(chunk) >= cut.end(chunk)) continue;
        EXPECT_EQ(cut.begin(chunk), seen);
        seen = cut.end(chunk);
      }
      EXPECT_EQ(seen, items) << count;
    }
}

TEST(ChunkPlan, SlotsAreTheQuotientThatAKernelNeedNotWorkOut) {
  bool seen[kMostChunkWarps + 1] = {};
  for (int items = 0; items < 80000; items += 7) {
    const ChunkPlan plan(items);
    ASSERT_GE(plan.chunk_warps, 1);
    ASSERT_LE(plan.chunk_warps, kMostChunkWarps);
    seen[plan.chunk_warps] = true;
    for (int warp = 0; warp <= 32; ++warp)
      ASSERT_EQ(plan.slot_of(static_cast<unsigned>(warp)), warp / plan.chunk_warps)
          << items << ", warp " << warp;
    EXPECT_LE(plan.together * plan.chunk_warps, kWarpSums) << items;
    EXPECT_LE(plan.together, kChunksTogether) << items;
    EXPECT_GE(plan.together, 1) << items;
  }
  EXPECT_TRUE(seen[7] && seen[8] && seen[11] && seen[kMostChunkWarps]);
}

TEST(ChunkPlan, ThreadsShareAnItemWhereAChunkHasFew) {
  for (const int items : {1, 1000, 8192, 96 * kMaxChunks}) EXPECT_EQ(ChunkPlan(items).tile, 4) << items;
  for (const int items : {96 * kMaxChunks + 1, 192 * kMaxChunks})
    EXPECT_EQ(ChunkPlan(items).tile, 2) << items;
  for (const int items : {192 * kMaxChunks + 1, 300000}) EXPECT_EQ(ChunkPlan(items).tile, 1) << items;
}

TEST(ChunkPlan, ForThroughputAWarpSumsWholeChunks) {
  for (const int items : kSizes) {
    const ChunkPlan plan = ChunkPlan::throughput(items);
    EXPECT_EQ(plan.tile, 1) << items;
    EXPECT_LE(plan.groups.chunks, kMaxChunks) << items;
    EXPECT_EQ(plan.groups.cut.size % ChunkPlan::kWarpItems, 0) << items;
    EXPECT_TRUE(plan.for_throughput()) << items;
    EXPECT_FALSE(ChunkPlan(items).for_throughput()) << items;
    EXPECT_EQ(plan.together, kChunksTogether) << items;
  }
  EXPECT_EQ(ChunkPlan::throughput(8192).groups.cut.size, 64);
  EXPECT_EQ(ChunkPlan::throughput(8193).groups.cut.size, 128);
}

}  // namespace
}  // namespace ndt
