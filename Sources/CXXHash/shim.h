/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash, inlined: its code is inside the library and the tool, so its licence (BSD 2-Clause) is in LICENSES.md. Its
   names are macros when inlined, which Swift cannot import; hence these wrappers. */
#ifndef REMORA_CXXHASH_SHIM_H
#define REMORA_CXXHASH_SHIM_H

#define XXH_INLINE_ALL
/* xxHash inlines what it is made of only when __OPTIMIZE__ is defined, which Swift's importer never does. */
#define XXH_NO_INLINE_HINTS 0
#include <xxhash.h>

/* For any number of bytes. */
static inline uint64_t xxh3_64_with_seed(const void *bytes, size_t count, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

/* The same hash for keys: up to 128 bytes without a call, because the code for longer ones falls away. */
static inline __attribute__((always_inline, flatten)) uint64_t xxh3_64_of_key(const void *bytes, size_t count,
                                                                              uint64_t seed) {
  if (__builtin_expect(count > 128, 0)) return xxh3_64_with_seed(bytes, count, seed);
  return XXH3_64bits_withSeed(bytes, count, seed);
}

static inline XXH128_hash_t xxh3_128(const void *bytes, size_t count) { return XXH3_128bits(bytes, count); }

#endif
