/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes of the kernel. The Swift import of glibc leaves these calls out. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "remora_support.h"

void remora_random(uint8_t bytes[16]) {
  ssize_t count;
  do {
    count = getrandom(bytes, 16, GRND_NONBLOCK);
  } while (count < 0 && errno == EINTR);
  if (count == 16) return;
  /* A sandbox forbids the call, or the kernel's pool is not ready. The kernel passes 16 random bytes to each
     program. */
  const void *passed = (const void *)getauxval(AT_RANDOM);
  if (passed != NULL) {
    memcpy(bytes, passed, 16);
  } else {
    memset(bytes, 0, 16);
  }
}
