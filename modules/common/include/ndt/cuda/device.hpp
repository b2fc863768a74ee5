// The CUDA devices that this process can use, or the reason why there are none. Compiles and answers without
// CUDA too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ndt {

struct CudaDevice {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::string pci_bus_id = {};  ///< as "0000:1B:00.0"
};

struct CudaState {
  std::string unavailable;      ///< why no implementation can use CUDA here; empty if device 0 can be used
  int driver = 0, runtime = 0;  ///< 1000 major + 10 minor, as CUDA numbers them; 0 if unknown
  std::vector<CudaDevice> devices;
};

/// Finds the devices once per process, and gives the same answer ever after.
const CudaState& cuda_state();

/// Throws std::invalid_argument "option device = <index>: ..." unless this machine has that device.
void require_device(int index);

}  // namespace ndt
