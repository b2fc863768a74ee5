# Cross-compiles for 64-bit ARM, and runs programs under QEMU (Debian: g++-aarch64-linux-gnu qemu-user). Libraries of this machine are
# not ARM's, so only headers are taken from it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
set(NDT_LZF_LIBRARY NDT_LZF_LIBRARY-NOTFOUND CACHE FILEPATH "not for ARM")
