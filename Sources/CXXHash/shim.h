/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash, header-only: nothing of it is linked or exported. Its names are macros when inlined, which
   Swift cannot import; hence these wrappers. */
#ifndef REMORA_CXXHASH_SHIM_H
#define REMORA_CXXHASH_SHIM_H

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint64_t xxh3_64_with_seed(const void *bytes, size_t count, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

static inline XXH128_hash_t xxh3_128(const void *bytes, size_t count) { return XXH3_128bits(bytes, count); }

#endif
