/* SPDX-License-Identifier: Apache-2.0 */
/* XXH3 with the vectors of AVX2, for machines that have them: twice as fast over a whole image as the SSE2 that
   every x86-64 has. This file alone is compiled for AVX2, and nothing in it runs before the machine was asked. */
#include "remora_support.h"

#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define XXH_VECTOR XXH_AVX2
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t checksum(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

int32_t remora_checksum_avx2(const void *bytes, size_t count, uint64_t *out_checksum) {
  if (!__builtin_cpu_supports("avx2")) return 0;
  *out_checksum = checksum(bytes, count);
  return 1;
}

#else

int32_t remora_checksum_avx2(const void *bytes, size_t count, uint64_t *out_checksum) {
  (void)bytes, (void)count, (void)out_checksum;
  return 0;
}

#endif
