/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "bound keys". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

/* Packaged data: one record "a" with this member "n" of JSON. */
#define RECORD(n) "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"n\":" n "}],\"timestamp\":1}"

static remora_key *bind(const char *name, const char *pointer) {
  remora_key *key = NULL;
  REQUIRE_OK(remora_key_bind(source, name, pointer, &key, &error));
  REQUIRE(key != NULL);
  return key;
}

static void set_member(const char *json) { REQUIRE_OK(remora_override_set(source, "a", "/n", json, 0, &error)); }

/* Twice: the first read looks the value up, the second uses what is cached. */
static void check_string(remora_key *key, const char *expected, const char *default_value) {
  char buffer[256];
  for (int i = 0; i < 2; i++) {
    CHECK_INT((int64_t)strlen(expected), (int64_t)remora_key_get_string(key, buffer, sizeof buffer, default_value));
    CHECK_TEXT(expected, buffer);
  }
}

TEST("a key handle reads values of each type, and returns the default for a value of a different type") {
  open_local(RECORD("true"));
  remora_key *key = bind("a", "/n");
  for (int i = 0; i < 2; i++) CHECK_INT(1, remora_key_get_bool(key, 0));
  CHECK_INT(-1, remora_key_get_int(key, -1));
  set_member("-7");
  for (int i = 0; i < 2; i++) CHECK_INT(-7, remora_key_get_int(key, 0));
  for (int i = 0; i < 2; i++) CHECK(remora_key_get_double(key, 0) == -7.0);
  CHECK_INT(1, remora_key_get_bool(key, 1));
  set_member("2.5");
  for (int i = 0; i < 2; i++) CHECK(remora_key_get_double(key, 0) == 2.5);
  CHECK_INT(9, remora_key_get_int(key, 9));
  check_string(key, "none", "none");
  set_member("\"text\"");
  check_string(key, "text", "none");
  CHECK(remora_key_get_double(key, 0.5) == 0.5);
  remora_key_release(key);
  close_scene();
}

TEST("a key handle copies strings of any length") {
  const size_t lengths[] = {0, 1, 7, 8, 9, 63, 64, 65, 200};
  open_local(RECORD("\"\""));
  remora_key *key = bind("a", "/n");
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    char json[256];
    char short_buffer[5];
    char *text = long_text(lengths[i]);
    snprintf(json, sizeof json, "\"%s\"", text);
    set_member(json);
    check_string(key, text, "none");
    CHECK_INT((int64_t)lengths[i], (int64_t)remora_key_get_string(key, short_buffer, sizeof short_buffer, NULL));
    CHECK_INT(lengths[i] < 4 ? (int64_t)lengths[i] : 4, (int64_t)strlen(short_buffer));
    CHECK_INT((int64_t)lengths[i], (int64_t)remora_key_get_string(key, NULL, 0, NULL));
    free(text);
  }
  remora_key_release(key);
  close_scene();
}

TEST("a key handle reads data that is fetched after the handle was created") {
  open_served(RECORD("1"));
  remora_key *key = bind("a", "/n");
  remora_key *late = bind("b", "");
  CHECK_INT(1, remora_key_get_int(key, 0));
  CHECK_INT(-1, remora_key_get_int(late, -1));
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":2}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(2, remora_key_get_int(key, 0));
  REQUIRE_OK(remora_override_set(source, "b", NULL, "5", 0, &error));
  CHECK_INT(5, remora_key_get_int(late, -1));
  REQUIRE_OK(remora_override_clear_all(source, &error));
  CHECK_INT(-1, remora_key_get_int(late, -1));
  remora_key_release(key);
  remora_key_release(late);
  close_scene();
}

TEST("a key handle counts the changes of its own value") {
  open_local(RECORD("1"));
  remora_key *key = bind("a", "/n");
  CHECK_INT(0, remora_key_get_change_count(key));
  REQUIRE_OK(remora_override_set(source, "a", "/other", "1", 0, &error));
  CHECK_INT(0, remora_key_get_change_count(key));
  set_member("2");
  for (int i = 0; i < 2; i++) CHECK_INT(1, remora_key_get_change_count(key));
  set_member("[2]");
  set_member("3");
  CHECK_INT(2, remora_key_get_change_count(key));
  set_member("\"3\"");
  CHECK_INT(3, remora_key_get_change_count(key));
  set_member("null");
  CHECK_INT(4, remora_key_get_change_count(key));
  remora_key_release(key);
  close_scene();
}

TEST("an error of remora_key_bind names the invalid argument, and a read of a NULL key handle returns the default") {
  char *long_name = long_text(70000);
  remora_key *key = NULL;
  open_local(RECORD("1"));
  CHECK_INVALID("source", remora_key_bind(NULL, "a", NULL, &key, &error));
  CHECK_INVALID("key", remora_key_bind(source, NULL, NULL, &key, &error));
  CHECK_INVALID("key", remora_key_bind(source, "", NULL, &key, &error));
  CHECK_INVALID("key", remora_key_bind(source, "\xff", NULL, &key, &error));
  CHECK_INVALID("key", remora_key_bind(source, long_name, NULL, &key, &error));
  CHECK_INVALID("pointer", remora_key_bind(source, "a", "n", &key, &error));
  CHECK_INVALID("pointer", remora_key_bind(source, "a", "/~", &key, &error));
  CHECK_INVALID("pointer", remora_key_bind(source, "a", "/\xff", &key, &error));
  CHECK_INVALID("out_key", remora_key_bind(source, "a", NULL, NULL, &error));
  CHECK(key == NULL);
  CHECK_INT(1, remora_key_get_bool(NULL, 1));
  CHECK_INT(2, remora_key_get_int(NULL, 2));
  CHECK(remora_key_get_double(NULL, 2.5) == 2.5);
  check_string(NULL, "none", "none");
  CHECK_INT(0, remora_key_get_change_count(NULL));
  remora_key_release(NULL);
  free(long_name);
  close_scene();
}

TEST("a key handle reads its value after its source is closed, and a default after its client is closed") {
  open_local(RECORD("1"));
  remora_key *key = bind("a", "/n");
  remora_source *other = open_untrusted(client, "sample", NULL);
  CHECK_INT(1, remora_key_get_int(key, 0));
  remora_source_close(source);
  CHECK_INT(1, remora_key_get_int(key, 0));
  remora_client_close(client);
  client = NULL;
  CHECK_INT(-1, remora_key_get_int(key, -1));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "", remora_key_bind(other, "a", NULL, &(remora_key *){NULL}, &error));
  source = other;
  close_scene();
  check_string(key, "none", "none");
  remora_key_release(key);
}

TEST("a bound key keeps its value when the last handle of its source is closed, until the client is closed") {
  open_local(RECORD("1"));
  remora_key *key = bind("a", "/n");
  CHECK_INT(1, remora_key_get_int(key, 0));
  remora_source_close(source);
  source = NULL;
  CHECK_INT(1, remora_key_get_int(key, 0));
  remora_client_close(client);
  client = NULL;
  CHECK_INT(-1, remora_key_get_int(key, -1));
  remora_key_release(key);
}

TEST("a key handle can be read in a forked child") {
  char directory[64];
  temporary_directory(directory);
  client = client_in_directory(directory, "http://127.0.0.1:9/v1");
  source = open_untrusted(client, "sample", RECORD("1"));
  remora_key *key = bind("a", "/n");
  CHECK_INT(1, remora_key_get_int(key, 0));
  pid_t child = fork();
  if (child == 0) {
    if (remora_key_get_int(key, 0) != 1) _exit(10);
    if (remora_override_set(source, "a", "/n", "2", 0, NULL) != REMORA_OK) _exit(11);
    _exit(remora_key_get_int(key, 0) == 2 ? 0 : 12);
  }
  check_child(child);
  CHECK_INT(1, remora_key_get_int(key, 0));
  remora_key_release(key);
  close_scene();
  remove_directory(directory);
}

enum { READERS = 3, PUBLICATIONS = 400, LETTERS = 60 };

static remora_key *number, *text;
static int is_over; /* Atomic, as the count of faults. */
static int faults;

/* The number grows, and the text consists of one letter. */
static void *read_while_others_publish(void *unused) {
  int64_t last = 0, last_count = 0;
  while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
    char letters[LETTERS + 1];
    int64_t now = remora_key_get_int(number, -1);
    int64_t count = remora_key_get_change_count(number);
    size_t length = remora_key_get_string(text, letters, sizeof letters, "");
    if (now < last || count < last_count || length != LETTERS || strspn(letters, (char[]){letters[0], 0}) != LETTERS)
      __atomic_add_fetch(&faults, 1, __ATOMIC_SEQ_CST);
    last = now;
    last_count = count;
  }
  return unused;
}

TEST("threads read complete values from key handles while another thread changes the values") {
  pthread_t readers[READERS];
  open_local("{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"n\":0,\"t\":\"\"}],\"timestamp\":1}");
  number = bind("a", "/n");
  text = bind("a", "/t");
  for (int i = 0; i < PUBLICATIONS; i++) {
    char json[LETTERS + 40], letters[LETTERS + 1];
    memset(letters, 'a' + i % 26, LETTERS);
    letters[LETTERS] = '\0';
    snprintf(json, sizeof json, "{\"n\":%d,\"t\":\"%s\"}", i, letters);
    REQUIRE_OK(remora_override_set(source, "a", NULL, json, 0, &error));
    for (int j = 0; i == 0 && j < READERS; j++)
      REQUIRE(pthread_create(&readers[j], NULL, read_while_others_publish, NULL) == 0);
  }
  __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
  for (int j = 0; j < READERS; j++) pthread_join(readers[j], NULL);
  CHECK_INT(0, faults);
  CHECK_INT(PUBLICATIONS - 1, remora_key_get_int(number, -1));
  remora_key_release(number);
  remora_key_release(text);
  close_scene();
}
