// A library with the functions of NVML that LoadMeter asks: two cards that use 200 W, and a third without
// answers.
#include <chrono>
#include <cstring>

namespace {

constexpr int kSuccess = 0, kNotSupported = 3, kNotFound = 6;
int cards[] = {0, 1, 2};

double elapsed_ms() {
  static const auto start = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return elapsed_ms(), kSuccess; }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** card) {
  *card = &cards[index];
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** card) {
  for (int& one : cards)
    if (std::strncmp(id, "0000:0", 6) == 0 && id[6] - '0' == one) return *card = &one, kSuccess;
  return kNotFound;
}

int nvmlDeviceGetTotalEnergyConsumption(void* card, unsigned long long* mj) {
  if (*static_cast<int*>(card) == 2) return kNotSupported;
  *mj = 5000000 + static_cast<unsigned long long>(200 * elapsed_ms());
  return kSuccess;
}

struct Utilization {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void* card, Utilization* now) {
  const int which = *static_cast<int*>(card);
  *now = {which == 0 ? 80U : 0U, 100U};
  return which == 2 ? kNotSupported : kSuccess;
}
}
