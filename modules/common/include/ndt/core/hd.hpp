// The only home of the macros that let one source be g++ host code and nvcc device code.
//   NDT_HD    value maths: callable from host and device
//   NDT_BODY  algorithm bodies and teams: device code under nvcc, plain code under g++
//             (one macro for both would make nvcc warn about host-only teams, #20011)
#pragma once

#if defined(__CUDACC__)
#define NDT_HD __host__ __device__
#define NDT_BODY __device__
#else
#define NDT_HD
#define NDT_BODY
#endif
