/* SPDX-License-Identifier: Apache-2.0 */
/* Works on many bytes of a JSON text at a time: finds those that matter for its structure, and copies a stored text. */
#include "remora_support.h"

struct remora_json_block remora_json_block_bytewise(const void *bytes) {
  const unsigned char *byte = bytes;
  struct remora_json_block block = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint64_t bit = (uint64_t)1 << i;
    switch (byte[i]) {
      case '"': block.quotes |= bit; break;
      case '\\': block.backslashes |= bit; break;
      case '[':
      case '{': block.opening |= bit; break;
      case ']':
      case '}': block.closing |= bit; break;
      case ',': block.commas |= bit; break;
      case '.': block.points |= bit; break;
      default: break;
    }
  }
  return block;
}

#if defined(__SSE2__)

#include <emmintrin.h>

/* A bit for each of 64 bytes that equals `byte`. */
static inline uint64_t equal(const __m128i *bytes, char byte) {
  const __m128i wanted = _mm_set1_epi8(byte);
  uint64_t mask = 0;
  for (int i = 0; i < 4; i++)
    mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes[i], wanted)) << (16 * i);
  return mask;
}

struct remora_json_block remora_json_block(const void *bytes) {
  __m128i part[4], braces[4]; /* A brace is a bracket with one bit more. */
  for (int i = 0; i < 4; i++) {
    part[i] = _mm_loadu_si128((const __m128i *)bytes + i);
    braces[i] = _mm_or_si128(part[i], _mm_set1_epi8(0x20));
  }
  return (struct remora_json_block){equal(part, '"'),   equal(part, '\\'), equal(braces, '{'),
                                    equal(braces, '}'), equal(part, ','),  equal(part, '.')};
}

#else

struct remora_json_block remora_json_block(const void *bytes) { return remora_json_block_bytewise(bytes); }

#endif

void remora_copy_with_quotes(void *restrict target, const void *restrict source, size_t count) {
  unsigned char *to = target;
  const unsigned char *from = source;
  for (size_t i = 0; i < count; i++) to[i] = from[i] ? from[i] : '"';
}
