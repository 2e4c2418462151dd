/* SPDX-License-Identifier: Apache-2.0 */

/* The actions of the chaos host: every function of the header that takes a handle, and the draw between them. */
#include <stdio.h>
#include <stdlib.h>

#include "chaos_host.h"
#include "fixture.h"

enum { WAIT_MS = 20, WHOLE_DATA = 0x600D, ACTS_IN_CALLBACK = 8 };

slot clients[CLIENTS], sources[SOURCES], subscriptions[SUBSCRIPTIONS], requests[REQUESTS], snapshots[SNAPSHOTS],
    keys[KEYS], attachments[ATTACHMENTS];
const char *chaos_directory;
int chaos_faults;

static long data_counts[DATA_KINDS]; /* Atomic. */
static int is_over;                  /* Atomic. */
static __thread unsigned random;     /* The state of the thread's sequence. */

void draw_from(unsigned seed) { random = seed; }

unsigned draw(unsigned count) {
  random = random * 1103515245u + 12345u;
  return (random >> 16) % count;
}

slot *any_of(slot *slots, unsigned count) { return &slots[draw(count)]; }

void chaos_fault(const char *what) {
  fprintf(stderr, "chaos: %s\n", what);
  __atomic_add_fetch(&chaos_faults, 1, __ATOMIC_SEQ_CST);
}

/* User data. `state` is atomic. */
typedef struct data {
  int state;
  data_kind kind;
} data;

void *data_new(data_kind kind) {
  data *fresh = malloc(sizeof *fresh);
  if (!fresh) return NULL;
  fresh->state = WHOLE_DATA;
  fresh->kind = kind;
  __atomic_add_fetch(&data_counts[kind], 1, __ATOMIC_SEQ_CST);
  return fresh;
}

void data_free(void *raw) {
  data *freed = raw;
  if (__atomic_exchange_n(&freed->state, 0, __ATOMIC_SEQ_CST) != WHOLE_DATA) chaos_fault("user data was freed twice");
  __atomic_sub_fetch(&data_counts[freed->kind], 1, __ATOMIC_SEQ_CST);
  free(freed);
}

const char *data_left(void) {
  static const char *const names[DATA_KINDS] = {"transport", "log",     "attempts", "events at opening",
                                                "events",    "results", "reports",  "progress"};
  for (int i = 0; i < DATA_KINDS; i++)
    if (__atomic_load_n(&data_counts[i], __ATOMIC_SEQ_CST) > 0) return names[i];
  return NULL;
}

void data_used(void *raw) {
  data *used = raw;
  static __thread int depth;
  if (__atomic_load_n(&used->state, __ATOMIC_SEQ_CST) != WHOLE_DATA) chaos_fault("freed user data was passed");
  if (depth > 0 || draw(ACTS_IN_CALLBACK) || __atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) return;
  depth++;
  if (draw(2))
    chaos_close_something();
  else
    chaos_act();
  depth--;
}

static void on_event(const remora_event *event, void *data) {
  (void)event;
  data_used(data);
}

static void on_result(const remora_result *result, void *data) {
  if (result->attachment && draw(2)) {
    remora_attachment *kept = remora_attachment_retain(result->attachment);
    if (!slot_put(any_of(attachments, ATTACHMENTS), kept)) remora_attachment_release(kept);
  }
  data_used(data);
}

static void on_log(const remora_log_entry *entry, void *data) {
  (void)entry;
  data_used(data);
}

static void on_attempt(const remora_attempt *attempt, void *data) {
  (void)attempt;
  data_used(data);
}

static void on_report(const remora_sync_report *report, void *data) {
  (void)report;
  if (data) data_used(data);
}

static void on_progress(const remora_progress *progress, void *data) {
  (void)progress;
  data_used(data);
}

/* MARK: Opening. A handle that finds no place is closed again. */

void open_client(void) {
  remora_transport transport = chaos_transport();
  remora_config config;
  remora_client *client = NULL;
  REMORA_INIT(&config);
  config.storage_dir = draw(3) ? REMORA_STORAGE_MEMORY : chaos_directory;
  config.server = "http://127.0.0.1:1";
  config.callbacks = draw(3) ? REMORA_CALLBACKS_ON_THREAD : REMORA_CALLBACKS_ON_DISPATCH;
  config.log_level = REMORA_LOG_DEBUG;
  config.on_log = on_log;
  config.on_log_user_data = data_new(DATA_LOG);
  config.on_log_free_user_data = data_free;
  config.on_attempt = on_attempt;
  config.on_attempt_user_data = data_new(DATA_ATTEMPTS);
  config.on_attempt_free_user_data = data_free;
  config.transport = &transport;
  if (remora_setup(&config, &client, NULL) != REMORA_OK) chaos_fault("remora_setup failed");
  if (!slot_put(any_of(clients, CLIENTS), client)) remora_client_close(client);
}

static remora_source_options some_options(void) {
  remora_source_options options;
  REMORA_INIT(&options);
  options.first_fetch = (remora_first_fetch)draw(3);
  options.refresh_interval_ms = draw(4) ? 0 : 60000;
  options.persist_overrides = draw(2);
  if (draw(2)) {
    options.on_event = on_event;
    options.on_event_user_data = data_new(DATA_FIRST_EVENTS);
    options.on_event_free_user_data = data_free;
  }
  return options;
}

void open_source(void) {
  static const char *const names[] = {"one", "two", "three", "four"};
  remora_source_options options = some_options();
  remora_collection_options collection = untrusted(names[draw(4)], draw(2) ? sample_data : NULL);
  remora_bundle_options bundle;
  remora_settings_options settings;
  remora_source *source = NULL;
  slot *place = any_of(clients, CLIENTS);
  remora_client *client = slot_use(place);
  if (!client) {
    if (options.on_event) data_free(options.on_event_user_data);
    return;
  }
  REMORA_INIT(&bundle);
  REMORA_INIT(&settings);
  bundle.url = draw(2) ? "http://127.0.0.1:1/bundle" : "http://127.0.0.1:1/other-bundle";
  settings.url = "http://127.0.0.1:1/settings.json";
  collection.activation = bundle.activation = settings.activation = (remora_activation)draw(4);
  switch (draw(3)) {
    case 0: remora_open_collection(client, &collection, &options, &source, NULL); break;
    case 1: remora_open_bundle(client, &bundle, &options, &source, NULL); break;
    default: remora_open_settings(client, &settings, &options, &source, NULL); break;
  }
  slot_leave(place);
  if (source && !slot_put(any_of(sources, SOURCES), source)) remora_source_close(source);
}

/* Opens a tag of a source that may be settings or not, or a tag itself. */
static void open_tag(remora_source *settings) {
  remora_source *tag = NULL;
  remora_open_tag(settings, draw(2) ? "one" : "two", draw(2) ? 0 : 1000, &tag, NULL);
  if (tag && !slot_put(any_of(sources, SOURCES), tag)) remora_source_close(tag);
}

/* MARK: Closing */

static void close_client(void) {
  if (draw(4) == 0) remora_client_close(slot_take(any_of(clients, CLIENTS)));
}

static void close_source(void) { remora_source_close(slot_take(any_of(sources, SOURCES))); }
static void end_subscription(void) { remora_unsubscribe(slot_take(any_of(subscriptions, SUBSCRIPTIONS))); }
static void release_snapshot(void) { remora_snapshot_release(slot_take(any_of(snapshots, SNAPSHOTS))); }
static void release_key(void) { remora_key_release(slot_take(any_of(keys, KEYS))); }
static void release_attachment(void) { remora_attachment_release(slot_take(any_of(attachments, ATTACHMENTS))); }

static void end_request(void) {
  remora_request *request = slot_take(any_of(requests, REQUESTS));
  if (draw(2)) remora_request_cancel(request);
  remora_request_release(request);
}

static void close_all_sources(void) {
  for (int i = 0; i < SOURCES; i++) remora_source_close(slot_take(&sources[i]));
}

static void (*const closings[])(void) = {
    /* clang-format off */
    close_client, close_source, close_source, close_source, close_all_sources, end_subscription, end_subscription,
    end_request, end_request, release_snapshot, release_key, release_attachment, open_client, open_source, open_source,
    /* clang-format on */
};

void chaos_close_something(void) { closings[draw(sizeof closings / sizeof *closings)](); }

void chaos_is_over(void) { __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST); }

void chaos_close_all(void) {
  for (int i = 0; i < CLIENTS; i++) remora_client_close(slot_take(&clients[i]));
  for (int i = 0; i < SOURCES; i++) remora_source_close(slot_take(&sources[i]));
  for (int i = 0; i < SUBSCRIPTIONS; i++) remora_unsubscribe(slot_take(&subscriptions[i]));
  for (int i = 0; i < REQUESTS; i++) remora_request_release(slot_take(&requests[i]));
  for (int i = 0; i < SNAPSHOTS; i++) remora_snapshot_release(slot_take(&snapshots[i]));
  for (int i = 0; i < KEYS; i++) remora_key_release(slot_take(&keys[i]));
  for (int i = 0; i < ATTACHMENTS; i++) remora_attachment_release(slot_take(&attachments[i]));
}

/* MARK: Use of a source */

static void read_source(remora_source *source) {
  char text[64];
  for (int i = 0; i < 8; i++) {
    remora_get_bool(source, "a", "/b", 1);
    remora_get_int(source, "a", "/n", -1);
    remora_get_double(source, "a", "/n", 0.5);
    remora_get_string(source, "a", "/s", text, sizeof text, "");
    remora_get_url(source, "a", "/u", text, sizeof text, "");
    remora_get_json(source, "a", NULL, text, sizeof text, "null");
    remora_source_get_change_count(source);
  }
}

static void ask_source(remora_source *source) {
  remora_source_info info;
  const int64_t *revision = NULL;
  REMORA_INIT(&info);
  remora_source_get_info(source, &info, NULL);
  if (remora_source_get_revision(source, &revision, NULL) == REMORA_OK)
    (void)__atomic_load_n(revision, __ATOMIC_SEQ_CST);
}

static void take_snapshot(remora_source *source) {
  remora_snapshot *snapshot = NULL;
  if (draw(2))
    remora_snapshot_acquire(source, draw(2) ? REMORA_SNAPSHOT_UNFILTERED : 0, &snapshot, NULL);
  else
    remora_await(source, NULL, WAIT_MS, &snapshot, NULL);
  if (snapshot && !slot_put(any_of(snapshots, SNAPSHOTS), snapshot)) remora_snapshot_release(snapshot);
}

static void bind_key(remora_source *source) {
  remora_key *key = NULL;
  if (remora_key_bind(source, "a", draw(2) ? "/n" : NULL, &key, NULL) == REMORA_OK &&
      !slot_put(any_of(keys, KEYS), key))
    remora_key_release(key);
}

static void subscribe(remora_source *source) {
  remora_subscription *subscription = NULL;
  remora_subscribe(source, draw(2) ? "a" : NULL, draw(2) ? REMORA_SUBSCRIBE_REPLAY : 0, on_event, data_new(DATA_EVENTS),
                   data_free, &subscription, NULL);
  if (subscription && !slot_put(any_of(subscriptions, SUBSCRIPTIONS), subscription)) remora_unsubscribe(subscription);
}

static void refresh(remora_source *source) {
  remora_refresh_options options;
  REMORA_INIT(&options);
  options.force = draw(4) == 0;
  remora_refresh(source, &options, draw(2) ? WAIT_MS : 0, NULL, NULL);
}

static void begin_request(remora_source *source) {
  remora_request *request = NULL;
  remora_attachment_options options;
  REMORA_INIT(&options);
  switch (draw(3)) {
    case 0:
      remora_refresh_async(source, NULL, WAIT_MS, on_result, data_new(DATA_RESULTS), data_free, &request, NULL);
      break;
    case 1:
      remora_await_async(source, NULL, WAIT_MS, on_result, data_new(DATA_RESULTS), data_free, &request, NULL);
      break;
    default:
      options.on_progress = on_progress;
      options.on_progress_user_data = data_new(DATA_PROGRESS);
      options.on_progress_free_user_data = data_free;
      remora_attachment_open_async(source, "a", &options, WAIT_MS, on_result, data_new(DATA_RESULTS), data_free,
                                   &request, NULL);
  }
  if (request && !slot_put(any_of(requests, REQUESTS), request)) remora_request_release(request);
}

static void open_attachment(remora_source *source) {
  remora_attachment *attachment = NULL;
  remora_attachment_open(source, "a", NULL, WAIT_MS, &attachment, NULL);
  if (attachment && !slot_put(any_of(attachments, ATTACHMENTS), attachment)) remora_attachment_release(attachment);
}

static int32_t visit_override(const remora_override *entry, void *data) {
  (void)data;
  return entry->key_length == 0;
}

static int32_t visit_namespace(const remora_namespace *entry, void *data) {
  (void)data;
  return entry->name_length == 0;
}

static void use_overrides(remora_source *source) {
  const remora_flags flags = draw(2) ? REMORA_OVERRIDE_IF_EXISTS : 0;
  switch (draw(5)) {
    case 0: remora_override_set(source, "a", "/n", "[7]", flags, NULL); break;
    case 1: remora_override_set_bool(source, "a", "/n", 1, flags, NULL); break;
    case 2: remora_override_set_int(source, "a", "/n", 7, flags, NULL); break;
    case 3: remora_override_set_double(source, "a", "/n", 0.5, flags, NULL); break;
    default: remora_override_set_string(source, "a", "/n", "text", flags, NULL);
  }
  remora_override_foreach(source, visit_override, NULL, NULL);
  char text[256];
  remora_explain(source, "a", "/n", draw(2) ? REMORA_EXPLAIN_TEXT : 0, text, sizeof text, NULL, NULL);
  if (draw(2)) remora_override_clear(source, "a", "/n", NULL);
  if (draw(4) == 0) remora_override_clear_all(source, NULL);
  remora_namespace_foreach(source, NULL, visit_namespace, NULL, NULL);
}

static void reject_live(remora_source *source) {
  remora_snapshot *snapshot = NULL;
  remora_snapshot_acquire(source, 0, &snapshot, NULL);
  remora_reject(source, snapshot, "chaos", NULL);
  remora_snapshot_release(snapshot);
}

static void change_source(remora_source *source) {
  if (draw(2)) remora_activate(source, NULL, NULL, NULL);
  if (draw(16) == 0) reject_live(source);
  if (draw(8) == 0) remora_freeze(source, NULL);
  if (draw(8) == 0) remora_reset(source, NULL);
}

static void use_source(void) {
  static void (*const uses[])(remora_source *) = {
      read_source,   read_source, ask_source,      take_snapshot, bind_key,      subscribe, refresh,
      begin_request, subscribe,   open_attachment, use_overrides, change_source, open_tag};
  slot *place = any_of(sources, SOURCES);
  remora_source *source = slot_use(place);
  if (!source) return;
  uses[draw(sizeof uses / sizeof *uses)](source);
  slot_leave(place);
}

/* MARK: Use of the other handles */

static int32_t visit_source(const remora_source_info *info, void *data) {
  (void)data;
  return info->name == NULL;
}

static void use_client(void) {
  static const char *const headers[] = {"Authorization: token", NULL};
  static const char *const contexts[] = {NULL, "{\"locale\":\"de\"}", "{\"locale\":\"fr\"}"};
  slot *place = any_of(clients, CLIENTS);
  remora_client *client = slot_use(place);
  remora_request *request = NULL;
  int32_t descriptor = -1;
  remora_bool matches = 0;
  if (!client) return;
  switch (draw(7)) {
    case 5: remora_set_headers(client, draw(2) ? headers : NULL, NULL); break;
    case 0: remora_source_foreach(client, visit_source, NULL, NULL); break;
    case 1: remora_set_context(client, contexts[draw(3)], NULL); break;
    case 4: remora_filter_matches("env.locale == 'de'", contexts[draw(3)], &matches, NULL); break;
    case 2: remora_sync(client, NULL, WAIT_MS, on_report, NULL, NULL); break;
    case 3:
      remora_sync_async(client, NULL, WAIT_MS, on_report, data_new(DATA_REPORTS), data_free, &request, NULL);
      break;
    default:
      if (remora_client_get_fd(client, &descriptor, NULL) == REMORA_OK) remora_dispatch(client, NULL, NULL);
  }
  slot_leave(place);
  if (request && !slot_put(any_of(requests, REQUESTS), request)) remora_request_release(request);
}

static void use_key(void) {
  slot *place = any_of(keys, KEYS);
  remora_key *key = slot_use(place);
  char text[64];
  if (!key) return;
  for (int i = 0; i < 8; i++) {
    remora_key_get_bool(key, 0);
    remora_key_get_int(key, 0);
    remora_key_get_double(key, 0);
    remora_key_get_string(key, text, sizeof text, "");
    remora_key_get_url(key, text, sizeof text, "");
    remora_key_get_json(key, text, sizeof text, "");
    remora_key_get_change_count(key);
  }
  slot_leave(place);
}

static void use_request(void) {
  slot *place = any_of(requests, REQUESTS);
  remora_request *request = slot_use(place);
  if (!request) return;
  remora_request_cancel(request);
  slot_leave(place);
}

static void (*const actions[])(void) = {
    /* clang-format off */
    open_client, open_source, open_source, use_source, use_source, use_source, use_source, use_source, use_source,
    use_client, use_client, use_snapshot, use_snapshot, use_attachment, use_no_handle, use_key, use_key, use_request,
    answer_later, answer_later,
    /* clang-format on */
};

void chaos_act(void) { actions[draw(sizeof actions / sizeof *actions)](); }
