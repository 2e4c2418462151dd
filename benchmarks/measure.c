/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks, medians and output; see measure.h.
 */
#include "measure.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

void keep(uint64_t result) { __atomic_fetch_add(&sink, result, __ATOMIC_RELAXED); }

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double wall_ns(void) { return read_clock(CLOCK_MONOTONIC); }
double thread_cpu_ns(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
double process_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

void pin_thread(unsigned index) {
  static cpu_set_t cores;
  if (CPU_COUNT(&cores) == 0 && sched_getaffinity(0, sizeof cores, &cores) != 0) fail("the cores are not known");
  unsigned left = index % (unsigned)CPU_COUNT(&cores);
  int core = 0;
  while (!CPU_ISSET(core, &cores) || left-- > 0) core++;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) fail("a thread cannot be pinned to core %d", core);
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left;
  double b = *(const double *)right;
  return (a > b) - (a < b);
}

double median(double *values, size_t count) {
  if (count == 0) return 0;
  qsort(values, count, sizeof *values, ascending);
  size_t middle = count / 2;
  return count % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void emit(const char *name, double value) {
  printf("%s %.3f\n", name, value);
  fflush(stdout);
}

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}
