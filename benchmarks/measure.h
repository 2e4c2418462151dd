/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks, medians and the one output format of the benchmark programs: a line
 * "name value" per result, which run.py collects. Durations are nanoseconds.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Uses a result, so that the compiler does not remove its computation. */
void keep(uint64_t result);

double wall_ns(void);
double thread_cpu_ns(void);
double process_cpu_ns(void);

/* Pins the calling thread, and the threads that it starts from now on, to a core: `index` counts the cores that the
 * process had at the first call, and wraps around. */
void pin_thread(unsigned index);

/* Sorts `values` and returns the median; 0 for an empty array. */
double median(double *values, size_t count);

/* Prints one result and flushes. */
void emit(const char *name, double value);

/* Prints a message in printf's format and ends the program with status 1. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
