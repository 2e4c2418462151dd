/* SPDX-License-Identifier: Apache-2.0 */

/* A test harness in two files: named tests, checks that say where, one final count.
 *
 * Every test runs in a process of its own, so that a crash, a hang or an exit handler
 * that never returns is a failure of that one test. The tests of a file are a suite with
 * the name of the file. */
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

/* Begins a test: one behaviour, as a sentence, and the statements that show it. */
#define TEST(sentence) TEST_OF_LINE(sentence, __LINE__)
#define TEST_OF_LINE(sentence, line) TEST_NUMBERED(sentence, line) /* Replaces __LINE__ by its number. */
#define TEST_NUMBERED(sentence, line)                                               \
  static void test_of_line_##line(void);                                            \
  __attribute__((constructor)) static void add_test_of_line_##line(void) {          \
    static check_test test = {sentence, __FILE__, line, test_of_line_##line, NULL}; \
    check_add(&test);                                                               \
  }                                                                                 \
  static void test_of_line_##line(void)

typedef struct check_test {
  const char *sentence;
  const char *file;
  int line;
  void (*run)(void);
  struct check_test *next;
} check_test;

/* Adds a test to those of the program. */
void check_add(check_test *test);

/* Runs the tests of the program, or only those of the suite `only`; returns the exit status for main. */
int check_run(const char *only);

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
