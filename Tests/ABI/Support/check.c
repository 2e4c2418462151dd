/* SPDX-License-Identifier: Apache-2.0 */

/* Runs tests in child processes and counts their ends. */
#include "check.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_SKIPPED = 77, TEST_SECONDS = 60 };

static check_test *first; /* In the order of files and lines. */
static int failures;      /* Of the running test; written by its main thread and by callbacks that fail. */

/* Returns the name of a file without its folder. */
static const char *name_of(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

void check_fail(const char *file, int line, const char *format, ...) {
  char words[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  printf("     %s:%d: %s\n", name_of(file), line, words);
  failures++;
}

int check_that(int holds, const char *text, const char *file, int line) {
  if (!holds) check_fail(file, line, "does not hold: %s", text);
  return holds;
}

int check_int(int64_t expected, int64_t actual, const char *text, const char *file, int line) {
  if (expected != actual)
    check_fail(file, line, "%s is %lld, expected %lld", text, (long long)actual, (long long)expected);
  return expected == actual;
}

int check_text(const char *expected, const char *actual, const char *text, const char *file, int line) {
  int equal = actual && strcmp(expected, actual) == 0;
  if (!equal) check_fail(file, line, "%s is \"%s\", expected \"%s\"", text, actual ? actual : "(NULL)", expected);
  return equal;
}

void check_give_up(void) {
  failures++;
  exit(EXIT_FAILURE);
}

void check_skip(const char *reason) {
  printf("     skipped: %s\n", reason);
  exit(failures ? EXIT_FAILURE : EXIT_SKIPPED);
}

static int precedes(const check_test *test, const check_test *other) {
  int order = strcmp(test->file, other->file);
  return order < 0 || (order == 0 && test->line < other->line);
}

void check_add(check_test *test) {
  check_test **place = &first;
  while (*place && precedes(*place, test)) place = &(*place)->next;
  test->next = *place;
  *place = test;
}

/* Runs one test in a child and returns the child's exit status, or 1 for any other end. */
static int run_apart(const check_test *test) {
  pid_t child = fork();
  if (child == 0) {
    alarm(TEST_SECONDS);
    test->run();
    exit(failures ? EXIT_FAILURE : EXIT_SUCCESS);
  }
  int ending = 0;
  if (child < 0 || waitpid(child, &ending, 0) != child) return EXIT_FAILURE;
  if (WIFEXITED(ending)) return WEXITSTATUS(ending);
  if (WTERMSIG(ending) == SIGALRM)
    printf("     no end within %d s\n", TEST_SECONDS);
  else
    printf("     ended by signal %d\n", WTERMSIG(ending));
  return EXIT_FAILURE;
}

/* Tests fork, wait, write to closed sockets and have a time limit, whatever the shell ignores. */
static void set_default_signals(void) {
  const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], SIG_DFL);
}

int check_run(const char *only) {
  int passed = 0, failed = 0, skipped = 0;
  set_default_signals();
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (const check_test *test = first; test; test = test->next) {
    const char *suite = name_of(test->file);
    int length = (int)strcspn(suite, ".");
    if (only && (strncmp(only, suite, (size_t)length) != 0 || only[length])) continue;
    int status = run_apart(test);
    const char *word = status == EXIT_SUCCESS ? "ok" : status == EXIT_SKIPPED ? "skip" : "FAIL";
    printf("%-4s %.*s: %s\n", word, length, suite, test->sentence);
    if (status == EXIT_SUCCESS)
      passed++;
    else if (status == EXIT_SKIPPED)
      skipped++;
    else
      failed++;
  }
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 && passed + skipped > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
