/* SPDX-License-Identifier: Apache-2.0 */

/* A test harness in two files: named tests, checks that say where, one final count.
 *
 * Every test runs in a process of its own, so that a crash, a hang or an exit handler
 * that never returns is a failure of that one test. A suite is an array of tests that
 * ends with an entry of NULLs. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

/* Whether a sanitizer watches the test; see scripts/check-abi-sanitized. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* One behaviour, as a sentence, and the function that shows it. */
typedef struct check_test {
  const char *sentence;
  void (*run)(void);
} check_test;

typedef struct check_suite {
  const char *name;
  const check_test *tests;
} check_suite;

/* Runs the suites, or only the one called `only`; returns the exit status for main. */
int check_run(const check_suite *suites, size_t count, const char *only);

/* Each notes a failure and goes on; the value is whether it held. */
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(expected, actual) check_int((expected), (actual), #actual, __FILE__, __LINE__)
#define CHECK_TEXT(expected, actual) check_text((expected), (actual), #actual, __FILE__, __LINE__)

/* As CHECK, and the test ends when it does not hold. */
#define REQUIRE(condition)                  \
  do {                                      \
    if (!CHECK(condition)) check_give_up(); \
  } while (0)

int check_that(int holds, const char *text, const char *file, int line);
int check_int(int64_t expected, int64_t actual, const char *text, const char *file, int line);
int check_text(const char *expected, const char *actual, const char *text, const char *file, int line);

/* Notes a failure in words of the caller's, as printf. */
void check_fail(const char *file, int line, const char *format, ...);

/* Ends the test as failed. */
void check_give_up(void);

/* Ends the test as skipped. */
void check_skip(const char *reason);

#endif /* CHECK_H */
