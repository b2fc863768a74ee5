// The only home of the macros that let one source be g++ host code and nvcc device code.
//   NDT_HD    value maths: callable from host and device
//   NDT_BODY  algorithm bodies and teams: device code under nvcc, plain code under g++
//             (one macro for both would make nvcc warn about host-only teams, #20011)
//   NDT_UNROLL    before a loop over a small array that is to stay in a device thread's registers
//   NDT_ROLLED    before a loop of a device that runs once in a kernel: it waits longer for its instructions
//   than
//                 for its jumps
//   NDT_NOINLINE  keeps rarely run code out of a kernel's registers
#pragma once

#if defined(__CUDACC__)
#define NDT_HD __host__ __device__
#define NDT_BODY __device__
#define NDT_NOINLINE __noinline__
#else
#define NDT_HD
#define NDT_BODY
#define NDT_NOINLINE
#endif

#if defined(__CUDA_ARCH__)
#define NDT_UNROLL _Pragma("unroll")
#define NDT_ROLLED _Pragma("unroll 1")
#else
#define NDT_UNROLL
#define NDT_ROLLED
#endif
