/* SPDX-License-Identifier: Apache-2.0
 *
 * A host that was built with a later header, whose structures have one more field, `later`; see scripts/check-growth.
 *
 *   later_host VALUE
 *
 * VALUE is what the library writes to `later` in the structures that it allocates; 0 for the library of the present
 * header, whose structures lack the field. The host must look at struct_size then. The library of the present header
 * must accept the host's structures as long as the field is 0, and must fill the field with 0.
 */
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remora.h"

static int failures;
static int64_t expected;
static remora_error error;

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%d: %s: %s\n", __LINE__, #condition, error.message); \
      failures++;                                                           \
    }                                                                       \
  } while (0)

/* A non-zero field is refused by a library that does not know it. A later library knows the field. */
#define CHECK_REFUSED(structure, call)                     \
  do {                                                     \
    if (expected != 0) break;                              \
    (structure).later = 1;                                 \
    CHECK((call) == REMORA_ERR_INVALID_ARGUMENT);          \
    CHECK(strstr(error.message, "does not know") != NULL); \
    CHECK(error.parameter[0] != '\0' && error.later == 0); \
    (structure).later = 0;                                 \
  } while (0)

/* The later field of a structure that the library has allocated; 0 if the structure lacks the field. */
#define LATER(structure)                                                                                     \
  ((structure)->struct_size >= (size_t)((const char *)(&(structure)->later + 1) - (const char *)(structure)) \
       ? (structure)->later                                                                                  \
       : 0)

/* The kinds of structures that callbacks and visitors have received. */
enum { EVENT, CHANGE, EXPERIMENT, REPORT, ITEM, RESULT, ATTEMPT, LINE, NAMESPACE, OVERRIDE, PROGRESS, REQUEST, KINDS };
static int seen[KINDS];

#define SEE(kind, structure)                              \
  do {                                                    \
    CHECK(LATER(structure) == expected);                  \
    __atomic_fetch_add(&seen[kind], 1, __ATOMIC_SEQ_CST); \
  } while (0)

static const char two[] = "{\"experiments\":[{\"name\":\"one\"},{\"name\":\"two\"}],\"a\":1,\"b\":2}";
static const char records[] =
    "{\"metadata\":{},\"timestamp\":2000,\"changes\":[{\"id\":\"x\",\"last_modified\":2000,\"attachment\":{\"hash\":"
    "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"size\":5,\"filename\":\"f\",\"location\":"
    "\"f\",\"mimetype\":\"text/plain\"}}]}";

/* Answers every request in memory. */
static void on_send(const remora_http_request *request, void *unused) {
  remora_http_response response;
  (void)unused;
  SEE(REQUEST, request);
  REMORA_INIT(&response);
  response.http_status = 200;
  if (strstr(request->url, "settings"))
    response.body = two;
  else if (strstr(request->url, "/changeset"))
    response.body = records;
  else if (strstr(request->url, "/files/f"))
    response.body = "hello";
  else
    response.body = "{\"capabilities\":{\"attachments\":{\"base_url\":\"https://h/files/\"}}}";
  response.body_size = strlen(response.body);
  CHECK(remora_respond(request->id, &response, NULL) == REMORA_OK);
}

static void read_clock(int64_t *out_wall_ms, int64_t *out_monotonic_ms, void *unused) {
  (void)unused;
  *out_wall_ms = INT64_C(1893456000000);
  *out_monotonic_ms = 1;
}

static void on_event(const remora_event *event, void *unused) {
  (void)unused;
  SEE(EVENT, event);
  for (size_t i = 0; i < event->change_count; i++) {
    SEE(CHANGE, event->changes[i]);
    CHECK(strlen(event->changes[i]->key) == event->changes[i]->key_length);
  }
  for (size_t i = 0; i < event->new_experiment_count; i++) {
    SEE(EXPERIMENT, event->new_experiments[i]);
    CHECK(strcmp(event->new_experiments[i]->name, i == 0 ? "one" : "two") == 0);
  }
}

static void on_report(const remora_sync_report *report, void *unused) {
  (void)unused;
  SEE(REPORT, report);
  for (size_t i = 0; i < report->item_count; i++) {
    SEE(ITEM, report->items[i]);
    CHECK(report->items[i]->source_name != NULL && report->items[i]->server != NULL);
  }
}

static void on_result(const remora_result *result, void *unused) {
  (void)unused;
  SEE(RESULT, result);
}
static void on_attempt(const remora_attempt *attempt, void *unused) {
  (void)unused;
  SEE(ATTEMPT, attempt);
}
static void on_log(const remora_log_entry *entry, void *unused) {
  (void)unused;
  SEE(LINE, entry);
}
static void on_progress(const remora_progress *progress, void *unused) {
  (void)unused;
  SEE(PROGRESS, progress);
}

static int32_t on_namespace(const remora_namespace *entry, void *unused) {
  (void)unused;
  SEE(NAMESPACE, entry);
  return 0;
}

static int32_t on_override(const remora_override *entry, void *unused) {
  (void)unused;
  SEE(OVERRIDE, entry);
  return 0;
}

static int32_t on_change(const remora_change *change, void *unused) {
  (void)unused;
  SEE(CHANGE, change);
  return 0;
}

static int32_t on_experiment(const remora_experiment *experiment, void *unused) {
  (void)unused;
  SEE(EXPERIMENT, experiment);
  return 0;
}

static void test_settings(remora_client *client) {
  remora_settings_options settings;
  remora_source_options how;
  remora_source *source = NULL, *other = NULL;
  remora_snapshot *before = NULL, *after = NULL;
  REMORA_INIT(&settings);
  REMORA_INIT(&how);
  settings.url = "https://h/settings";
  settings.tag = "t";
  how.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST;
  how.on_event = on_event;
  CHECK_REFUSED(settings, remora_open_settings(client, &settings, &how, &other, &error));
  CHECK(remora_open_settings(client, &settings, &how, &source, &error) == REMORA_OK);
  CHECK(remora_snapshot_acquire(source, 0, &before, &error) == REMORA_OK);
  CHECK(remora_refresh_async(source, NULL, -1, on_result, NULL, NULL, NULL, &error) == REMORA_OK);
  for (int i = 0; i < 2000 && !__atomic_load_n(&seen[RESULT], __ATOMIC_SEQ_CST); i++) poll(NULL, 0, 5);
  remora_refresh_options refresh;
  REMORA_INIT(&refresh);
  CHECK_REFUSED(refresh, remora_refresh(source, &refresh, 0, NULL, &error));
  CHECK_REFUSED(refresh, remora_await(source, &refresh, 0, NULL, &error));
  CHECK_REFUSED(refresh, remora_sync(client, &refresh, 0, NULL, NULL, &error));
  CHECK(remora_refresh(source, &refresh, -1, NULL, &error) == REMORA_OK);
  CHECK(remora_snapshot_acquire(source, 0, &after, &error) == REMORA_OK);
  CHECK(remora_snapshot_diff(before, after, on_change, NULL, &error) == REMORA_OK);
  CHECK(remora_experiment_foreach(after, on_experiment, NULL, &error) == REMORA_OK);

  remora_experiment experiment;
  memset(&experiment, 0xff, sizeof experiment);
  experiment.struct_size = sizeof experiment;
  CHECK(remora_experiment_find(after, "two", &experiment, &error) == REMORA_OK);
  CHECK(experiment.struct_size == sizeof experiment && experiment.later == expected);
  remora_snapshot_info info;
  memset(&info, 0xff, sizeof info);
  info.struct_size = sizeof info;
  CHECK(remora_snapshot_get_info(after, &info, &error) == REMORA_OK);
  CHECK(info.struct_size == sizeof info && info.later == 0 && info.count == 3);
  remora_snapshot_release(before);
  remora_snapshot_release(after);
  remora_source_close(source);
}

static void test_collection(remora_client *client) {
  remora_collection_options collection;
  remora_source_options how;
  remora_attachment_options opening;
  remora_source *source = NULL, *other = NULL;
  remora_attachment *attachment = NULL;
  REMORA_INIT(&collection);
  REMORA_INIT(&how);
  REMORA_INIT(&opening);
  collection.name = "later";
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_data = "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"n\":5}],\"timestamp\":1}";
  collection.packaged_size = strlen(collection.packaged_data);
  CHECK(remora_open_collection(client, &collection, &how, &source, &error) == REMORA_OK);
  CHECK_REFUSED(how, remora_open_collection(client, &collection, &how, &other, &error));
  CHECK_REFUSED(collection, remora_open_collection(client, &collection, &how, &other, &error));
  CHECK(remora_get_int(source, "a", "/n", 0) == 5);

  remora_source_info info;
  memset(&info, 0xff, sizeof info);
  info.struct_size = sizeof info;
  CHECK(remora_source_get_info(source, &info, &error) == REMORA_OK);
  CHECK(info.struct_size == sizeof info && info.later == 0 && info.version == 1);
  CHECK(info.last_error.later == 0 && info.storage_error.later == 0);

  CHECK(remora_override_set_int(source, "a", "/n", 6, 0, &error) == REMORA_OK);
  CHECK(remora_override_foreach(source, on_override, NULL, &error) == REMORA_OK);
  CHECK(remora_refresh(source, NULL, -1, NULL, &error) == REMORA_OK);
  opening.on_progress = on_progress;
  CHECK_REFUSED(opening, remora_attachment_open(source, "x", &opening, -1, &attachment, &error));
  CHECK(remora_attachment_open(source, "x", &opening, -1, &attachment, &error) == REMORA_OK);
  CHECK(remora_attachment_size(attachment) == 5);
  remora_attachment_release(attachment);
  remora_sync(client, NULL, -1, on_report, NULL, NULL); /* Fails: the server has no monitor. */
  remora_source_close(source);
}

static void test_bundle(remora_client *client) {
  remora_bundle_options bundle;
  remora_source *source = NULL;
  REMORA_INIT(&bundle);
  bundle.default_bundle = "[{\"namespace\":\"a\",\"networkConfiguration\":{\"endpoint\":\"h\"}}]";
  CHECK_REFUSED(bundle, remora_open_bundle(client, &bundle, NULL, &source, &error));
  CHECK(remora_open_bundle(client, &bundle, NULL, &source, &error) == REMORA_OK);
  CHECK(remora_namespace_foreach(source, NULL, on_namespace, NULL, &error) == REMORA_OK);
  remora_source_close(source);
}

static void on_seed(const remora_http_request *request, void *unused) {
  (void)unused;
  SEE(REQUEST, request);
}

static void test_seed(void) {
  remora_config config;
  remora_seed_options seed;
  remora_settings_options settings;
  REMORA_INIT(&config);
  REMORA_INIT(&seed);
  REMORA_INIT(&settings);
  settings.url = "https://h/settings";
  seed.settings = &settings;
  config.application_name = "later";
  const int requests = seen[REQUEST];
  CHECK(remora_seed_request(&config, &seed, on_seed, NULL, &error) == REMORA_OK && seen[REQUEST] == requests + 1);
  CHECK_REFUSED(seed, remora_seed_request(&config, &seed, on_seed, NULL, &error));
  CHECK_REFUSED(settings, remora_seed_request(&config, &seed, on_seed, NULL, &error));
}

/* The error has no size. A later field takes the place of reserved members, which are 0 after a failure. */
static void test_error(void) {
  memset(&error, 0xff, sizeof error);
  CHECK(sizeof error == 640);
  CHECK(remora_refresh(NULL, NULL, 0, NULL, &error) == REMORA_ERR_INVALID_ARGUMENT);
  CHECK(error.later == 0);
  for (size_t i = 0; i < sizeof error.reserved / sizeof *error.reserved; i++) CHECK(error.reserved[i] == 0);
}

int main(int argc, char **argv) {
  remora_config config;
  remora_transport transport;
  remora_clock clock;
  remora_http_response response;
  remora_client *client = NULL;
  expected = argc == 2 ? strtoll(argv[1], NULL, 10) : 0;
  REMORA_INIT(&config);
  REMORA_INIT(&transport);
  REMORA_INIT(&clock);
  REMORA_INIT(&response);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = "https://h";
  config.log_level = REMORA_LOG_DEBUG;
  config.on_log = on_log;
  config.on_attempt = on_attempt;
  config.transport = &transport;
  config.clock = &clock;
  transport.send = on_send;
  clock.read = read_clock;
  CHECK_REFUSED(config, remora_setup(&config, &client, &error));
  CHECK_REFUSED(transport, remora_setup(&config, &client, &error));
  CHECK_REFUSED(clock, remora_setup(&config, &client, &error));
  CHECK_REFUSED(response, remora_respond(1, &response, &error));
  CHECK(client == NULL);
  CHECK(remora_setup(&config, &client, &error) == REMORA_OK);
  if (client) {
    test_settings(client);
    test_collection(client);
    test_bundle(client);
  }
  remora_client_close(client);
  test_seed();
  test_error();
  for (int kind = 0; kind < KINDS; kind++)
    if (seen[kind] == 0) failures += fprintf(stderr, "no structure of kind %d was received\n", kind) > 0;
  return failures ? 1 : 0;
}
