/* SPDX-License-Identifier: Apache-2.0 */

/* Decimal numbers in a host whose locale writes them with a comma, also while another thread changes the locale. */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "override_scene.h"

#define GERMAN "de_DE.UTF-8"
/* ThreadSanitizer makes a round 50 times slower, and finds a race in any of them. */
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 1000 };
#else
enum { ROUNDS = 20000 };
#endif

static const char decimals[] = "[1.5,-0.25,12.5E10,0.125,99.75,1.0625,-3.5,0.001]";
static const char canonical[] = "[1.5E0,-2.5E-1,1.25E11,1.25E-1,9.975E1,1.0625E0,-3.5E0,1E-3]";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_over;

static int goes_on(void) {
  pthread_mutex_lock(&mutex);
  int answer = !is_over;
  pthread_mutex_unlock(&mutex);
  return answer;
}

/* Builds the locale in a directory of the test's own: a machine may have no locale but C. */
static void make_german(char *directory) {
  char command[256];
  temporary_directory(directory);
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/" GERMAN " >/dev/null 2>&1", directory);
  int answer = system(command);
  setenv("LOCPATH", directory, 1);
  if (!setlocale(LC_ALL, GERMAN)) {
    remove_directory(directory);
    check_skip(answer == 0 ? "the German locale cannot be used" : "localedef or Debian's package locales is missing");
  }
  CHECK_TEXT(",", localeconv()->decimal_point);
}

static void *change_the_locale(void *unused) {
  while (goes_on()) {
    setlocale(LC_ALL, "C");
    setlocale(LC_ALL, GERMAN);
  }
  return unused;
}

/* Parses and prints decimals until `ROUNDS` are over. */
static void read_decimals(void) {
  char text[128];
  size_t length = 0;
  for (int round = 0; round < ROUNDS; round++) {
    remora_value value;
    set_override("a", "/list", decimals);
    remora_snapshot *live = acquire(source);
    REQUIRE_OK(remora_snapshot_get(live, "a", "/list", &value, &error));
    REQUIRE_OK(remora_value_get_json(value, text, sizeof text, &length, &error));
    remora_snapshot_release(live);
    if (strcmp(text, canonical) != 0) check_fail(__FILE__, __LINE__, "read as %s", text), check_give_up();
    if (remora_get_double(source, "a", "/list/3", 0) != 0.125) check_fail(__FILE__, __LINE__, "a getter is wrong");
  }
}

static void run_beside(void *(*routine)(void *)) {
  char directory[64];
  pthread_t thread;
  make_german(directory);
  open_local(two_records);
  REQUIRE(pthread_create(&thread, NULL, routine, NULL) == 0);
  read_decimals();
  pthread_mutex_lock(&mutex);
  is_over = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  close_scene();
  remove_directory(directory);
}

TEST("decimal numbers are read correctly while another thread changes the locale") { run_beside(change_the_locale); }

/* A library of the host's that reads numbers as jansson does: the answer is in memory that all threads share. */
static void *ask_for_the_comma(void *unused) {
  while (goes_on()) {
    if (strcmp(localeconv()->decimal_point, ",") != 0) check_fail(__FILE__, __LINE__, "the host's comma is lost");
  }
  return unused;
}

TEST("decimal numbers are read correctly in a host with a decimal comma, which keeps it") {
  run_beside(ask_for_the_comma);
}
