/* SPDX-License-Identifier: Apache-2.0 */
/* xxHash, header-only: nothing of it is linked or exported. Its names are macros when inlined, which
   Swift cannot import; hence these wrappers. */
#ifndef REMORA_CXXHASH_SHIM_H
#define REMORA_CXXHASH_SHIM_H

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint64_t xxh3_64(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }

#endif
