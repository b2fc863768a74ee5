#include "base/gpu_info.hpp"

#include <gmock/gmock.h>

#include "base/environment.hpp"

namespace ndt::harness {
namespace {

using testing::ElementsAre;

CudaState two_devices() {
  return {"",
          13000,
          12080,
          {{"NVIDIA H200", 9, 0, 132, std::int64_t{143771} << 20}, {"Old", 5, 2, 16, 4LL << 30}}};
}

TEST(GpuInfo, CudasNumbersBecomeVersions) {
  EXPECT_EQ(cuda_version(12080), "12.8");
  EXPECT_EQ(cuda_version(13000), "13.0");
  EXPECT_EQ(cuda_version(0), "");
}

TEST(GpuInfo, TheDriversReleaseIsFoundInBothFormsOfItsLine) {
  EXPECT_EQ(driver_release(
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023"),
            "535.129.03");
  EXPECT_EQ(driver_release(
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (a@b)"),
            "580.95.05");
  EXPECT_EQ(driver_release("GCC version: none"), "");
  EXPECT_EQ(driver_release(""), "");
}

TEST(GpuInfo, EveryDeviceIsInTheEnvironment) {
  const auto j = cuda_json(two_devices(), "580.95.05");
  EXPECT_EQ(
      j.dump(),
      R"({"unavailable":null,"driver":"13.0","driver_release":"580.95.05","runtime":"12.8","devices":[)"
      R"({"name":"NVIDIA H200","compute_capability":"9.0","multiprocessors":132,"memory_bytes":150754820096},)"
      R"({"name":"Old","compute_capability":"5.2","multiprocessors":16,"memory_bytes":4294967296}]})");
}

TEST(GpuInfo, WithoutADeviceTheEnvironmentSaysWhy) {
  EXPECT_EQ(
      cuda_json({"built without CUDA", 0, 0, {}}, "").dump(),
      R"({"unavailable":"built without CUDA","driver":null,"driver_release":null,"runtime":null,"devices":[]})");
  const auto environment = nlohmann::json::parse(environment_json("id", "command"));
  EXPECT_EQ(environment["cuda"]["unavailable"].is_null(), cuda_state().unavailable.empty());
  EXPECT_EQ(environment["cuda"]["devices"].size(), cuda_state().devices.size());
  EXPECT_FALSE(environment.contains("solvers"));
  const auto solved = nlohmann::json::parse(environment_json("id", "command", {{"staged", "cuSOLVER"}}));
  EXPECT_EQ(solved["solvers"], (nlohmann::json{{"staged", "cuSOLVER"}}));
}

TEST(GpuInfo, DoctorSaysWhatThereIsAndWhatIsWrongWithIt) {
  EXPECT_THAT(gpu_lines(two_devices()),
              ElementsAre("NVIDIA H200, compute capability 9.0, 132 multiprocessors, 140.4 GiB",
                          "Old, compute capability 5.2, 16 multiprocessors, 4.0 GiB"));
  EXPECT_THAT(gpu_lines({"no CUDA device", 0, 12080, {}}),
              ElementsAre("no implementation can use one: no CUDA device"));
  CudaState old = two_devices();
  old.devices.erase(old.devices.begin());
  old.unavailable = "device 0 cannot run this build";
  EXPECT_THAT(gpu_lines(old), ElementsAre("Old, compute capability 5.2, 16 multiprocessors, 4.0 GiB",
                                          "no implementation can use one: device 0 cannot run this build"));
}

TEST(GpuInfo, TheDriverIsNamedWithWhatItTakes) {
  EXPECT_EQ(driver_line(two_devices(), "580.95.05"),
            "580.95.05, takes CUDA up to 13.0; this build's runtime is 12.8");
  EXPECT_EQ(driver_line({"built without CUDA", 0, 0, {}}, "580.95.05"), "580.95.05");
  EXPECT_EQ(driver_line(two_devices(), ""),
            "release unknown, takes CUDA up to 13.0; this build's runtime is 12.8");
  EXPECT_EQ(driver_line({"no CUDA device", 0, 12080, {}}, ""), "missing: no NVIDIA driver is loaded");
}

}  // namespace
}  // namespace ndt::harness
