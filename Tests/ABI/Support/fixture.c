/* SPDX-License-Identifier: Apache-2.0 */

/* Clients, sources, checks and directories for the tests of the C API. */
#define _DEFAULT_SOURCE /* syscall */
#include "fixture.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const char sample_data[] =
    "{\"data\":["
    "{\"id\":\"flags\",\"last_modified\":1000,\"on\":true,\"off\":false,\"nothing\":null},"
    "{\"id\":\"limits\",\"last_modified\":999,\"int\":7,\"whole\":3.0,\"half\":3.5,\"negative\":-1,"
    "\"exact\":9007199254740992,\"inexact\":9007199254740993,"
    "\"max\":9223372036854775807,\"min\":-9223372036854775808,\"beyond\":9223372036854775808.0,\"huge\":1e300},"
    "{\"id\":\"texts\",\"last_modified\":998,\"plain\":\"hello\",\"wide\":\"a\\u00e9\\u20ac\\ud83d\\ude00\","
    "\"nul\":\"a\\u0000b\",\"empty\":\"\"},"
    "{\"id\":\"tree\",\"last_modified\":997,\"list\":[10,\"ten\",[30],null],\"a/b\":1,\"m~n\":2,\"\":3,"
    "\"~1\":4,\"nested\":{\"deep\":{\"er\":\"yes\"}}}"
    "],\"timestamp\":1000}";

void fill_error(remora_error *error) {
  memset(error, 0x5A, sizeof *error);
  error->message[0] = '\0';
}

/* Whether a call was passed the error that fill_error has filled. */
static int is_written(const remora_error *error) {
  remora_error filled;
  fill_error(&filled);
  return error->status != filled.status;
}

/* Whether a call that has succeeded cleared the members of an error, except `reserved`, which it does not write. */
static int is_cleared(const remora_error *error) {
  return error->status == REMORA_OK && error->http_status == 0 && error->retry_after_ms == 0 &&
         error->system_code == 0 && error->parameter[0] == '\0' && error->source_name[0] == '\0' &&
         error->message[0] == '\0';
}

int check_status(remora_status expected, remora_status actual, const remora_error *error, const char *text,
                 const char *file, int line) {
  if (actual == REMORA_OK && is_written(error) && !is_cleared(error))
    check_fail(file, line, "%s succeeds, but its error is not cleared", text);
  if (actual == expected) return 1;
  check_fail(file, line, "%s is %s (%.*s), expected %s", text, remora_status_name(actual), (int)sizeof error->message,
             error->message, remora_status_name(expected));
  return 0;
}

/* Whether a text has a name of the header. Those that are no words of English have an underscore. */
static int has_name(const char *text) {
  for (const char *mark = strchr(text, '_'); mark; mark = strchr(mark + 1, '_'))
    if (mark > text && isalnum((unsigned char)mark[-1]) && isalnum((unsigned char)mark[1])) return 1;
  return strstr(text, "REMORA") != NULL;
}

/* Checks what holds for the members of every failure. */
static void check_failure(const remora_error *error, const char *text, const char *file, int line) {
  const size_t length = strlen(error->parameter);
  for (size_t i = 0; i < sizeof error->reserved / sizeof *error->reserved; i++)
    if (error->reserved[i] != 0) check_fail(file, line, "%s: reserved[%zu] is not 0", text, i);
  if ((error->status == REMORA_ERR_INVALID_ARGUMENT) != (length > 0))
    check_fail(file, line, "%s: the parameter is \"%s\": %s", text, error->parameter, error->message);
  if (strspn(error->parameter, "abcdefghijklmnopqrstuvwxyz0123456789_.") != length)
    check_fail(file, line, "%s: the parameter is no name: \"%s\"", text, error->parameter);
  if (strncmp(error->message, error->parameter, length) != 0 || (length > 0 && error->message[length] != ' '))
    check_fail(file, line, "%s: the message does not begin with \"%s \": %s", text, error->parameter, error->message);
  if (length > 0 && has_name(error->message + length))
    check_fail(file, line, "%s: the message has a second name: %s", text, error->message);
}

void check_parameter(const char *name, remora_status actual, const remora_error *error, const char *text,
                     const char *file, int line) {
  check_refused(REMORA_ERR_INVALID_ARGUMENT, name, actual, error, text, file, line);
  if (actual == REMORA_ERR_INVALID_ARGUMENT && strcmp(error->parameter, name) != 0)
    check_fail(file, line, "%s: the parameter is \"%s\", expected \"%s\": %s", text, error->parameter, name,
               error->message);
}

void check_refused(remora_status expected, const char *word, remora_status actual, const remora_error *error,
                   const char *text, const char *file, int line) {
  if (!check_status(expected, actual, error, text, file, line)) return;
  if (error->status != actual) check_fail(file, line, "%s: error->status is %d", text, (int)error->status);
  if (!memchr(error->message, '\0', sizeof error->message))
    check_fail(file, line, "%s: the message does not end", text);
  else if (error->message[0] == '\0' || !strstr(error->message, word))
    check_fail(file, line, "%s: the message does not name \"%s\": \"%s\"", text, word, error->message);
  else
    check_failure(error, text, file, line);
}

static remora_client *client_with(const char *directory, const char *server) {
  remora_config config;
  remora_client *client = NULL;
  REMORA_INIT(&config);
  config.storage_dir = directory;
  config.server = server;
  config.application_name = "tests";
  REQUIRE_OK(remora_setup(&config, &client, &error));
  REQUIRE(client != NULL);
  return client;
}

remora_client *client_in_memory(const char *server) { return client_with(REMORA_STORAGE_MEMORY, server); }

remora_client *client_in_directory(const char *directory, const char *server) { return client_with(directory, server); }

remora_collection_options untrusted(const char *name, const char *packaged) {
  remora_collection_options collection;
  REMORA_INIT(&collection);
  collection.name = name;
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_data = packaged;
  collection.packaged_size = packaged ? strlen(packaged) : 0;
  return collection;
}

remora_source *open_untrusted(remora_client *client, const char *name, const char *packaged) {
  remora_collection_options collection = untrusted(name, packaged);
  remora_source *source = NULL;
  REQUIRE_OK(remora_open_collection(client, &collection, NULL, &source, &error));
  REQUIRE(source != NULL);
  return source;
}

remora_source_options without_fetch(void) {
  remora_source_options options;
  REMORA_INIT(&options);
  options.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST;
  return options;
}

remora_snapshot *acquire(remora_source *source) {
  remora_snapshot *snapshot = NULL;
  REQUIRE_OK(remora_snapshot_acquire(source, 0, &snapshot, &error));
  REQUIRE(snapshot != NULL);
  return snapshot;
}

int64_t live_version(remora_source *source) {
  remora_source_info info = {.struct_size = sizeof info};
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  return info.version;
}

/* The outcome that events report for a refresh that has failed with this status. */
static int32_t outcome_of(remora_status status) {
  switch (remora_status_family(status)) {
    case REMORA_FAMILY_DOCUMENT: return status == REMORA_ERR_TOO_LARGE ? REMORA_OUTCOME_FAILED : REMORA_OUTCOME_REFUSED;
    case REMORA_FAMILY_TRUST:
    case REMORA_FAMILY_FRESHNESS: return REMORA_OUTCOME_REFUSED;
    default: return REMORA_OUTCOME_FAILED;
  }
}

void check_refresh(int32_t outcome, remora_source *source, const char *file, int line) {
  remora_error error;
  int32_t actual = -1;
  fill_error(&error);
  remora_status status = remora_refresh(source, NULL, PATIENCE_MS, &actual, &error);
  if (status != REMORA_OK && actual != -1) check_fail(file, line, "a failed refresh has written its outcome");
  if (status != REMORA_OK) actual = outcome_of(status);
  if (actual != outcome)
    check_fail(file, line, "the refresh is %s with outcome %d (%s), expected outcome %d", remora_status_name(status),
               (int)actual, error.message, (int)outcome);
}

static void *refresh_apart(void *raw) {
  background_refresh *refresh = raw;
  refresh->status = remora_refresh(refresh->source, NULL, -1, &refresh->outcome, NULL);
  tally_add(&refresh->done);
  return NULL;
}

void background_start(background_refresh *refresh, remora_source *source) {
  refresh->source = source;
  tally_init(&refresh->done);
  REQUIRE(pthread_create(&refresh->thread, NULL, refresh_apart, refresh) == 0);
}

void background_join(background_refresh *refresh) {
  REQUIRE(tally_await(&refresh->done, 1));
  pthread_join(refresh->thread, NULL);
}

void *close_apart(void *raw) {
  background_close *closing = raw;
  remora_client_close(closing->client);
  tally_add(&closing->done);
  return NULL;
}

void temporary_directory(char path[64]) {
  snprintf(path, 64, "/tmp/remora-abi-XXXXXX");
  REQUIRE(mkdtemp(path) != NULL);
}

/* Removes what a directory holds, given its descriptor, which it closes. */
static void empty_directory(int descriptor) {
  DIR *directory = fdopendir(descriptor);
  struct dirent *entry;
  if (!directory) return;
  while ((entry = readdir(directory))) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    int inner = openat(descriptor, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (inner >= 0) empty_directory(inner);
    unlinkat(descriptor, entry->d_name, inner >= 0 ? AT_REMOVEDIR : 0);
  }
  closedir(directory);
}

void remove_directory(const char *path) {
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (descriptor >= 0) empty_directory(descriptor);
  rmdir(path);
}

char *long_text(size_t length) {
  char *text = malloc(length + 1);
  REQUIRE(text != NULL);
  memset(text, 'k', length);
  text[length] = '\0';
  return text;
}

int await_child(pid_t child) {
  int ending = -1;
  REQUIRE(child > 0);
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
  REQUIRE(end.fd >= 0);
  /* Killed only if it hangs: then its status is not 0. */
  if (poll(&end, 1, PATIENCE_MS) != 1) kill(child, SIGKILL);
  close(end.fd);
  REQUIRE(waitpid(child, &ending, 0) == child);
  return WIFEXITED(ending) ? WEXITSTATUS(ending) : -WTERMSIG(ending);
}

void check_child(pid_t child) { CHECK_INT(0, await_child(child)); }

static void *fork_and_await(void *unused) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  check_child(child);
  return unused;
}

void fork_on_another_thread(void) {
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, fork_and_await, NULL) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
}
