// multikernel_transfers_cuda's backend in host memory: the host's sums and solutions, and a schedule whose
// copies happen as late as a device may make them.
#include "transfers_backend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "aligners.hpp"
#include "host_backend.hpp"
#include "ndt/edge/host_aligner.hpp"
#include "random_poses.hpp"
#include "staged_aligner.hpp"
#include "test_clouds.hpp"

namespace ndt::gpu_multikernel {
namespace {

/// The copies of all devices of a test so far.
struct Copies {
  std::size_t download_bytes = 0, downloads = 0, upload_bytes = 0, uploads = 0, waits = 0;
} copies;

/// The steps on the host, with copies that are made only when the next launch or wait needs them: what is
/// read before a wait, or overwritten before its copy, gives other numbers.
class LateCopies : public HostBackend {
 public:
  template <class T>
  using HostSide = HostArray<T>;

  explicit LateCopies(HostPool& pool) : HostBackend(pool) {}

  template <class T>
  HostSide<T> host_side() const {
    return {};
  }
  template <class Body>
  void launch(int n, const Body& body) {
    make_copies();
    HostBackend::launch(n, body);
  }
  template <class T>
  void download(T* host_side, const T* array, std::size_t n) {
    ++copies.downloads, copies.download_bytes += n * sizeof(T);
    waiting_.push_back([=] { std::memcpy(host_side, array, n * sizeof(T)); });
  }
  template <class T>
  void upload(T* array, const T* host_side, std::size_t n) {
    ++copies.uploads, copies.upload_bytes += n * sizeof(T);
    waiting_.push_back([=] { std::memcpy(array, host_side, n * sizeof(T)); });
  }
  void wait() {
    ++copies.waits;
    make_copies();
  }
  std::uint32_t read_flag(const std::uint32_t* flag) {
    make_copies();
    return HostBackend::read_flag(flag);
  }

 private:
  void make_copies() {
    for (const auto& copy : waiting_) copy();
    waiting_.clear();
  }

  std::vector<std::function<void()>> waiting_;
};

using Twin = StagedAligner<HostAligner, TransfersBackend<LateCopies>>;
const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

TEST(HostWork, SumsAreThoseOfOneFloatAfterTheOther) {
  std::mt19937 random(1);
  std::normal_distribution<float> draw(1, 100);
  for (const int length : {0, 1, 7, 8, 9, 1000, 4099}) {
    std::vector<float> values(3 * static_cast<std::size_t>(length));
    for (float& value : values) value = draw(random);
    double sums[3] = {-1, -1, -1};
    sum_on_host(values.data(), 3, length, sums);
    for (int s = 0; s < 3; ++s) {
      double sum = 0, magnitude = 0;
      for (int i = 0; i < length; ++i) {
        const auto value = static_cast<double>(values[static_cast<std::size_t>(s * length + i)]);
        sum += value, magnitude += std::fabs(value);
      }
      EXPECT_NEAR(sums[s], sum, 1e-15 * magnitude) << length << " floats, sum " << s;
    }
  }
}

TEST(HostWork, SolvesDefiniteSystemsAndSaysWhichAreNot) {
  double matrices[2][36] = {}, vectors[2][6];
  for (int i = 0; i < 6; ++i) {
    matrices[0][7 * i] = 2 + i, matrices[1][7 * i] = i == 3 ? -1 : 1;
    vectors[0][i] = vectors[1][i] = 1;
  }
  matrices[0][1] = matrices[0][6] = 1;
  int factorised[2] = {-1, -1};
  solve_on_host(matrices[0], vectors[0], factorised, 2);
  EXPECT_EQ(factorised[0], 0);
  EXPECT_EQ(factorised[1], 1);
  EXPECT_NEAR(2 * vectors[0][0] + vectors[0][1], 1, 1e-15);
  EXPECT_NEAR(vectors[0][0] + 3 * vectors[0][1], 1, 1e-15);
  for (int i = 2; i < 6; ++i) EXPECT_NEAR(vectors[0][i], 1.0 / (2 + i), 1e-15);
}

/// DESIGN 10: equal iterations, then 1 mm and 0.01 degrees.
void expect_as_multikernel_cpu(const AlignOptions& options) {
  Twin twin(options);
  const auto staged = make_cpu_aligner(options);
  twin.set_map(test_clouds::map()), staged->set_map(test_clouds::map());
  std::vector<Transform> guesses{kGuess};
  for (const Pose& pose : test_clouds::offsets(2, 0.5, 0.05)) guesses.push_back(to_transform(pose));
  std::vector<AlignResult> got(guesses.size()), expected(guesses.size());
  PointCloud scan;
  scan.points.assign(test_clouds::scan().points.begin(), test_clouds::scan().points.begin() + 1001);
  twin.align_batch(scan, guesses, got);
  staged->align_batch(scan, guesses, expected);
  for (std::size_t k = 0; k < guesses.size(); ++k) {
    EXPECT_EQ(got[k].stop, expected[k].stop) << k;
    EXPECT_EQ(got[k].iterations, expected[k].iterations) << k;
    EXPECT_NEAR(got[k].score, expected[k].score, 1e-6 * expected[k].score) << k;
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(got[k].map_from_scan.m[4 * i + 3], expected[k].map_from_scan.m[4 * i + 3], 1e-3) << k;
  }
}

TEST(TransfersBackend, AlignsAsMultikernelCpuDoes) {
  for (const LineSearch search : all_values<LineSearch>()) {
    SCOPED_TRACE(to_string(search));
    AlignOptions options;
    options.line_search = search;
    expect_as_multikernel_cpu(options);
  }
  SCOPED_TRACE("pyramid");
  expect_as_multikernel_cpu(AlignOptions::pyramid());
}

TEST(TransfersBackend, ASecondAlignmentHasTheSameBits) {
  Twin twin{AlignOptions{}};
  twin.set_map(test_clouds::map());
  const AlignResult first = twin.align(test_clouds::scan(), kGuess, {}),
                    second = twin.align(test_clouds::scan(), kGuess, {});
  EXPECT_EQ(std::memcmp(&first.map_from_scan, &second.map_from_scan, sizeof first.map_from_scan), 0);
  EXPECT_EQ(first.score, second.score);
}

TEST(TransfersBackend, AnIterationBringsEveryPointsTermsDownAndTheSumsUp) {
  const std::size_t points = test_clouds::scan().size();
  const auto of = [&](int iterations) {
    AlignOptions options;
    options.max_iterations = iterations;
    options.epsilon_m = 1e-300;
    Twin twin(options);
    twin.set_map(test_clouds::map());
    copies = {};
    EXPECT_EQ(twin.align(test_clouds::scan(), kGuess, {}).iterations, iterations);
    return copies;
  };
  const Copies few = of(2), many = of(7);
  EXPECT_EQ(many.download_bytes - few.download_bytes, 5 * (points * kTerms * sizeof(float) + 42 * 8));
  EXPECT_EQ(many.upload_bytes - few.upload_bytes, 5U * (kTerms * 8 + 6 * 8 + 4));
  EXPECT_EQ(many.downloads - few.downloads, 5U * 3);
  EXPECT_EQ(many.uploads - few.uploads, 5U * 3);
  EXPECT_EQ(many.waits - few.waits, 5U * 2);
}

}  // namespace
}  // namespace ndt::gpu_multikernel
