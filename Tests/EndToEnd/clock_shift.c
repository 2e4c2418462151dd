/* SPDX-License-Identifier: Apache-2.0 */

/* Preloaded into a host: moves its wall clock, and no other, by the milliseconds in the file that
 * REMORA_TEST_CLOCK names. The file may change while the host runs; without it the clock is right. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t shift_ms(void) {
  char text[32] = {0};
  const char *path = getenv("REMORA_TEST_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  return count > 0 ? strtoll(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  long result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_REALTIME) return (int)result;
  time->tv_sec += shift_ms() / 1000;
  return 0;
}
