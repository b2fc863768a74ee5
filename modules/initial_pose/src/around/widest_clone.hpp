// One source for every width of vectors, with the same bits: no operation is contracted or reordered.
#pragma once

// Programs under a sanitizer cannot choose a clone when they are loaded.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NDT_WIDEST_CLONE __attribute__((target_clones("avx2", "default")))
#else
#define NDT_WIDEST_CLONE
#endif
