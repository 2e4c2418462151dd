/* SPDX-License-Identifier: Apache-2.0 */

/* `parameter` of remora_error: every function names each argument that it refuses. */
#include <string.h>

#include "recorder.h"
#include "scene.h"

static int32_t see_info(const remora_source_info *info, void *unused) { return (void)info, (void)unused, 0; }
static int32_t see_namespace(const remora_namespace *entry, void *unused) { return (void)entry, (void)unused, 0; }
static int32_t see_override(const remora_override *entry, void *unused) { return (void)entry, (void)unused, 0; }
static int32_t see_experiment(const remora_experiment *one, void *unused) { return (void)one, (void)unused, 0; }
static void see_request(const remora_http_request *request, void *unused) { (void)request, (void)unused; }

static const int64_t negative = -2;
static remora_source *no_source;
static remora_request *no_request;

TEST("functions of a client name each argument that they refuse") {
  remora_client *no_client = NULL;
  int32_t fd;
  remora_config config;
  remora_http_response response;
  remora_collection_options collection = untrusted("other", NULL);
  remora_bundle_options bundle;
  remora_settings_options settings;
  REMORA_INIT(&config);
  REMORA_INIT(&response);
  REMORA_INIT(&bundle);
  REMORA_INIT(&settings);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.application_name = "tests";
  bundle.url = settings.url = NO_SERVER;
  response.http_status = 200;
  open_local(sample_data);
  CHECK_PARAMETER("config", remora_setup(NULL, &no_client, &error));
  CHECK_PARAMETER("out_client", remora_setup(&config, NULL, &error));
  config.client_key_file = "/dev/null";
  CHECK_PARAMETER("client_key_file", remora_setup(&config, &no_client, &error));
  config.client_certificate_file = "/missing.pem";
  CHECK_PARAMETER("client_certificate_file", remora_setup(&config, &no_client, &error));
  CHECK_PARAMETER("client_certificate_file", remora_preconnect(&config, NO_SERVER, NULL, &error));
  config.client_certificate_file = config.client_key_file = NULL;
  CHECK_PARAMETER("response", remora_respond(1, NULL, &error));
  CHECK_PARAMETER("config", remora_preconnect(NULL, NO_SERVER, NULL, &error));
  CHECK_PARAMETER("url", remora_preconnect(&config, NULL, NULL, &error));
  CHECK_PARAMETER("url", remora_preconnect(&config, "ftp://h", NULL, &error));
  CHECK_PARAMETER("platform", remora_preconnect(&config, NO_SERVER, "\xff", &error));
  CHECK_PARAMETER("client", remora_open_collection(NULL, &collection, NULL, &no_source, &error));
  CHECK_PARAMETER("collection", remora_open_collection(client, NULL, NULL, &no_source, &error));
  CHECK_PARAMETER("out_source", remora_open_collection(client, &collection, NULL, NULL, &error));
  CHECK_PARAMETER("client", remora_open_bundle(NULL, &bundle, NULL, &no_source, &error));
  CHECK_PARAMETER("bundle", remora_open_bundle(client, NULL, NULL, &no_source, &error));
  CHECK_PARAMETER("out_source", remora_open_bundle(client, &bundle, NULL, NULL, &error));
  CHECK_PARAMETER("client", remora_open_settings(NULL, &settings, NULL, &no_source, &error));
  CHECK_PARAMETER("settings", remora_open_settings(client, NULL, NULL, &no_source, &error));
  CHECK_PARAMETER("out_source", remora_open_settings(client, &settings, NULL, NULL, &error));
  CHECK_PARAMETER("client", remora_source_foreach(NULL, see_info, NULL, &error));
  CHECK_PARAMETER("visitor", remora_source_foreach(client, NULL, NULL, &error));
  CHECK_PARAMETER("client", remora_set_headers(NULL, NULL, &error));
  CHECK_PARAMETER("headers", remora_set_headers(client, (const char *const[]){"Range: bytes=0-", NULL}, &error));
  CHECK_PARAMETER("client", remora_set_context(NULL, "{}", &error));
  CHECK_PARAMETER("context_json", remora_set_context(client, "[]", &error));
  CHECK_PARAMETER("context_json", remora_set_context(client, "{\"preferences\":1}", &error));
  CHECK_PARAMETER("context_json", remora_set_context(client, "{\"locale\":1}", &error));
  CHECK_PARAMETER("context_json", remora_set_context(client, "\xff", &error));
  CHECK_PARAMETER("client", remora_sync(NULL, NULL, 0, NULL, NULL, &error));
  CHECK_PARAMETER("timeout_ms", remora_sync(client, NULL, negative, NULL, NULL, &error));
  CHECK_PARAMETER("client", remora_sync_async(NULL, NULL, 0, NULL, NULL, NULL, &no_request, &error));
  CHECK_PARAMETER("timeout_ms", remora_sync_async(client, NULL, negative, NULL, NULL, NULL, &no_request, &error));
  CHECK_PARAMETER("client", remora_client_get_fd(NULL, &fd, &error));
  CHECK_PARAMETER("client", remora_client_get_fd(client, &fd, &error));
  CHECK_PARAMETER("client", remora_dispatch(NULL, NULL, &error));
  CHECK_PARAMETER("client", remora_dispatch(client, NULL, &error));
  CHECK(!no_client && !no_source && !no_request);
  close_scene();
}

TEST("functions of a source name each argument that they refuse") {
  remora_source_info info = {.struct_size = 8};
  remora_snapshot *no_snapshot = NULL;
  remora_key *no_key = NULL;
  const int64_t *revision;
  open_local(sample_data);
  CHECK_PARAMETER("source", remora_source_get_info(NULL, &info, &error));
  CHECK_PARAMETER("out_info", remora_source_get_info(source, NULL, &error));
  CHECK_PARAMETER("out_info", remora_source_get_info(source, &info, &error));
  CHECK_PARAMETER("source", remora_source_get_revision(NULL, &revision, &error));
  CHECK_PARAMETER("out_revision", remora_source_get_revision(source, NULL, &error));
  CHECK_PARAMETER("source", remora_namespace_foreach(NULL, NULL, see_namespace, NULL, &error));
  CHECK_PARAMETER("source", remora_namespace_foreach(source, NULL, see_namespace, NULL, &error));
  CHECK_PARAMETER("visitor", remora_namespace_foreach(source, NULL, NULL, NULL, &error));
  CHECK_PARAMETER("source", remora_refresh(NULL, NULL, 0, NULL, &error));
  CHECK_PARAMETER("timeout_ms", remora_refresh(source, NULL, negative, NULL, &error));
  CHECK_PARAMETER("source", remora_refresh_async(NULL, NULL, 0, NULL, NULL, NULL, &no_request, &error));
  CHECK_PARAMETER("timeout_ms", remora_refresh_async(source, NULL, negative, NULL, NULL, NULL, &no_request, &error));
  CHECK_PARAMETER("source", remora_await(NULL, NULL, 0, NULL, &error));
  CHECK_PARAMETER("timeout_ms", remora_await(source, NULL, negative, NULL, &error));
  CHECK_PARAMETER("source", remora_await_async(NULL, NULL, 0, NULL, NULL, NULL, &no_request, &error));
  CHECK_PARAMETER("timeout_ms", remora_await_async(source, NULL, negative, NULL, NULL, NULL, &no_request, &error));
  CHECK_PARAMETER("source", remora_reset(NULL, &error));
  CHECK_PARAMETER("source", remora_activate(NULL, NULL, NULL, &error));
  CHECK_PARAMETER("source", remora_freeze(NULL, &error));
  CHECK_PARAMETER("source", remora_snapshot_acquire(NULL, 0, &no_snapshot, &error));
  CHECK_PARAMETER("flags", remora_snapshot_acquire(source, 2, &no_snapshot, &error));
  CHECK_PARAMETER("out_snapshot", remora_snapshot_acquire(source, 0, NULL, &error));
  CHECK_PARAMETER("source", remora_key_bind(NULL, "a", NULL, &no_key, &error));
  CHECK_PARAMETER("key", remora_key_bind(source, NULL, NULL, &no_key, &error));
  CHECK_PARAMETER("pointer", remora_key_bind(source, "a", "b", &no_key, &error));
  CHECK_PARAMETER("out_key", remora_key_bind(source, "a", NULL, NULL, &error));
  CHECK_PARAMETER("source", remora_subscribe(NULL, NULL, 0, recorder_event, NULL, NULL, NULL, &error));
  CHECK_PARAMETER("key", remora_subscribe(source, "", 0, recorder_event, NULL, NULL, NULL, &error));
  CHECK_PARAMETER("flags", remora_subscribe(source, NULL, 2, recorder_event, NULL, NULL, NULL, &error));
  CHECK_PARAMETER("callback", remora_subscribe(source, NULL, 0, NULL, NULL, NULL, NULL, &error));
  CHECK_PARAMETER("source", remora_override_set(NULL, "a", NULL, "1", 0, &error));
  CHECK_PARAMETER("key", remora_override_set(source, NULL, NULL, "1", 0, &error));
  CHECK_PARAMETER("pointer", remora_override_set(source, "a", "b", "1", 0, &error));
  CHECK_PARAMETER("json", remora_override_set(source, "a", NULL, NULL, 0, &error));
  CHECK_PARAMETER("json", remora_override_set(source, "a", NULL, "{", 0, &error));
  CHECK_PARAMETER("flags", remora_override_set(source, "a", NULL, "1", 2, &error));
  CHECK_PARAMETER("source", remora_override_clear(NULL, "a", NULL, &error));
  CHECK_PARAMETER("key", remora_override_clear(source, NULL, NULL, &error));
  CHECK_PARAMETER("pointer", remora_override_clear(source, "a", "b", &error));
  CHECK_PARAMETER("source", remora_override_clear_all(NULL, &error));
  CHECK_PARAMETER("source", remora_override_foreach(NULL, see_override, NULL, &error));
  CHECK_PARAMETER("visitor", remora_override_foreach(source, NULL, NULL, &error));
  CHECK(!no_snapshot && !no_key && !no_request);
  close_scene();
}

TEST("functions of an attachment name each argument that they refuse") {
  remora_attachment *no_attachment = NULL;
  open_local(sample_data);
  CHECK_PARAMETER("source", remora_attachment_open(NULL, "a", NULL, 0, &no_attachment, &error));
  CHECK_PARAMETER("record", remora_attachment_open(source, NULL, NULL, 0, &no_attachment, &error));
  CHECK_PARAMETER("timeout_ms", remora_attachment_open(source, "a", NULL, negative, &no_attachment, &error));
  CHECK_PARAMETER("out_attachment", remora_attachment_open(source, "a", NULL, 0, NULL, &error));
  CHECK_PARAMETER("source", remora_attachment_open_async(NULL, "a", NULL, 0, NULL, NULL, NULL, NULL, &error));
  CHECK_PARAMETER("record", remora_attachment_open_async(source, NULL, NULL, 0, NULL, NULL, NULL, NULL, &error));
  CHECK_PARAMETER("timeout_ms",
                  remora_attachment_open_async(source, "a", NULL, negative, NULL, NULL, NULL, NULL, &error));
  CHECK(!no_attachment);
  close_scene();
}

/* Checks the arguments of a function that reads a value of one type from a snapshot. */
#define CHECK_GETTER(get, out_name, out)                                      \
  do {                                                                        \
    CHECK_PARAMETER("snapshot", get(NULL, "a", NULL, out, &error));           \
    CHECK_PARAMETER("key", get(snapshot, NULL, NULL, out, &error));           \
    CHECK_PARAMETER("pointer", get(snapshot, "limits", "x", out, &error));    \
    CHECK_PARAMETER(out_name, get(snapshot, "limits", "/int", NULL, &error)); \
  } while (0)
#define CHECK_TEXT_GETTER(get, out_name, out)                                        \
  do {                                                                               \
    CHECK_PARAMETER("snapshot", get(NULL, "a", NULL, out, NULL, &error));            \
    CHECK_PARAMETER("key", get(snapshot, NULL, NULL, out, NULL, &error));            \
    CHECK_PARAMETER("pointer", get(snapshot, "texts", "x", out, NULL, &error));      \
    CHECK_PARAMETER(out_name, get(snapshot, "texts", "/plain", NULL, NULL, &error)); \
  } while (0)

TEST("functions of a snapshot name each argument that they refuse") {
  remora_snapshot_info info = {.struct_size = 8};
  remora_experiment experiment = {.struct_size = 8};
  remora_value value;
  const char *text;
  char buffer[8];
  size_t length;
  remora_bool truth;
  int64_t number;
  double real;
  remora_origin origin;
  open_local(sample_data);
  CHECK_PARAMETER("snapshot", remora_snapshot_get_info(NULL, &info, &error));
  CHECK_PARAMETER("out_info", remora_snapshot_get_info(snapshot, NULL, &error));
  CHECK_PARAMETER("out_info", remora_snapshot_get_info(snapshot, &info, &error));
  CHECK_GETTER(remora_snapshot_get, "out_value", &value);
  CHECK_GETTER(remora_snapshot_get_bool, "out_value", &truth);
  CHECK_GETTER(remora_snapshot_get_int, "out_value", &number);
  CHECK_GETTER(remora_snapshot_get_double, "out_value", &real);
  CHECK_TEXT_GETTER(remora_snapshot_get_string, "out_string", &text);
  CHECK_TEXT_GETTER(remora_snapshot_get_url, "out_url", &text);
  CHECK_PARAMETER("snapshot", remora_snapshot_get_n(NULL, "a", 1, "", 0, &value, &error));
  CHECK_PARAMETER("key", remora_snapshot_get_n(snapshot, NULL, 1, "", 0, &value, &error));
  CHECK_PARAMETER("key", remora_snapshot_get_n(snapshot, "a", 0, "", 0, &value, &error));
  CHECK_PARAMETER("key", remora_snapshot_get_n(snapshot, "a", SIZE_MAX, "", 0, &value, &error));
  CHECK_PARAMETER("pointer", remora_snapshot_get_n(snapshot, "a", 1, NULL, 1, &value, &error));
  CHECK_PARAMETER("pointer", remora_snapshot_get_n(snapshot, "a", 1, "", SIZE_MAX, &value, &error));
  CHECK_PARAMETER("out_value", remora_snapshot_get_n(snapshot, "a", 1, "", 0, NULL, &error));
  CHECK_PARAMETER("snapshot", remora_snapshot_item(NULL, 0, NULL, NULL, &value, &error));
  CHECK_PARAMETER("snapshot", remora_snapshot_get_json(NULL, "a", NULL, buffer, 8, &length, &error));
  CHECK_PARAMETER("key", remora_snapshot_get_json(snapshot, "", NULL, buffer, 8, &length, &error));
  CHECK_PARAMETER("pointer", remora_snapshot_get_json(snapshot, "limits", "x", buffer, 8, &length, &error));
  CHECK_PARAMETER("pointer", remora_snapshot_get_json(snapshot, NULL, "/x", buffer, 8, &length, &error));
  CHECK_PARAMETER("buffer", remora_snapshot_get_json(snapshot, "limits", NULL, NULL, 8, &length, &error));
  CHECK_PARAMETER("size", remora_snapshot_get_json(snapshot, "limits", NULL, buffer, SIZE_MAX, &length, &error));
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, "limits", NULL, buffer, 8, NULL, &error));
  CHECK_PARAMETER("snapshot", remora_snapshot_get_origin(NULL, "a", &origin, &error));
  CHECK_PARAMETER("key", remora_snapshot_get_origin(snapshot, NULL, &origin, &error));
  CHECK_PARAMETER("out_origin", remora_snapshot_get_origin(snapshot, "limits", NULL, &error));
  CHECK_PARAMETER("visitor", remora_snapshot_diff(snapshot, snapshot, NULL, NULL, &error));
  CHECK_PARAMETER("snapshot", remora_experiment_find(NULL, "a", &experiment, &error));
  CHECK_PARAMETER("name", remora_experiment_find(snapshot, NULL, &experiment, &error));
  CHECK_PARAMETER("snapshot", remora_experiment_foreach(NULL, see_experiment, NULL, &error));
  CHECK_PARAMETER("visitor", remora_experiment_foreach(snapshot, NULL, NULL, &error));
  close_scene();
}

TEST("functions of a value name each argument that they refuse") {
  remora_value tree, text, part;
  char buffer[8];
  size_t length;
  open_local(sample_data);
  REQUIRE_OK(remora_snapshot_get(snapshot, "tree", NULL, &tree, &error));
  REQUIRE_OK(remora_snapshot_get(snapshot, "texts", "/plain", &text, &error));
  CHECK_PARAMETER("out_value", remora_value_get_bool(tree, NULL, &error));
  CHECK_PARAMETER("out_value", remora_value_get_int(tree, NULL, &error));
  CHECK_PARAMETER("out_value", remora_value_get_double(tree, NULL, &error));
  CHECK_PARAMETER("out_string", remora_value_get_string(text, NULL, NULL, &error));
  CHECK_PARAMETER("out_url", remora_value_get_url(text, NULL, NULL, &error));
  CHECK_PARAMETER("buffer", remora_value_get_json(tree, NULL, 8, &length, &error));
  CHECK_STATUS(REMORA_OK, remora_value_get_json(tree, buffer, 8, NULL, &error));
  CHECK_PARAMETER("name", remora_value_member(tree, NULL, &part, &error));
  CHECK_PARAMETER("out_value", remora_value_member(tree, "list", NULL, &error));
  CHECK_PARAMETER("pointer", remora_value_resolve(tree, "x", &part, &error));
  CHECK_PARAMETER("out_value", remora_value_resolve(tree, "/list", NULL, &error));
  CHECK_PARAMETER("buffer", remora_value_record_fields(tree, NULL, 8, &length, &error));
  CHECK_STATUS(REMORA_OK, remora_value_record_fields(tree, buffer, 8, NULL, &error));
  close_scene();
}

TEST("functions of a seed name each argument that they refuse") {
  remora_config config;
  remora_seed_options seed;
  remora_settings_options settings;
  REMORA_INIT(&config);
  REMORA_INIT(&seed);
  REMORA_INIT(&settings);
  config.storage_dir = "/nowhere";
  settings.url = NO_SERVER;
  seed.settings = &settings;
  CHECK_PARAMETER("config", remora_seed_request(NULL, &seed, see_request, NULL, &error));
  CHECK_PARAMETER("options", remora_seed_request(&config, NULL, see_request, NULL, &error));
  CHECK_PARAMETER("callback", remora_seed_request(&config, &seed, NULL, NULL, &error));
  CHECK_PARAMETER("config", remora_seed_save(NULL, &seed, "/dev/null", &error));
  CHECK_PARAMETER("options", remora_seed_save(&config, NULL, "/dev/null", &error));
  CHECK_PARAMETER("file", remora_seed_save(&config, &seed, NULL, &error));
}
