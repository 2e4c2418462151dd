/* SPDX-License-Identifier: Apache-2.0 */

/* `parameter` of remora_error: every field of the options is named if its value is refused. */
#include <stdio.h>
#include <string.h>

#include "bundle_scene.h"
#include "scene.h"
#include "seed_scene.h"
#include "settings_scene.h"
#include "transport_scene.h"

/* Sets up a client with one wrong field. */
#define CHECK_CONFIG_FIELD(name, change)                         \
  do {                                                           \
    remora_client *none = NULL;                                  \
    remora_config config;                                        \
    REMORA_INIT(&config);                                        \
    config.storage_dir = REMORA_STORAGE_MEMORY;                  \
    change;                                                      \
    CHECK_PARAMETER(name, remora_setup(&config, &none, &error)); \
  } while (0)

TEST("each field of remora_config is named if its value is refused") {
  static const char *const control[] = {"X: \x01", NULL}, *const unnamed[] = {": a", NULL};
  static const char *const bad_header[] = {"no colon", NULL}, *const reserved_header[] = {"Range: bytes=0-", NULL};
  remora_transport transport;
  remora_clock clock;
  REMORA_INIT(&transport);
  REMORA_INIT(&clock);
  CHECK_CONFIG_FIELD("config", config.struct_size = 8);
  CHECK_CONFIG_FIELD("storage_dir", config.storage_dir = NULL);
  CHECK_CONFIG_FIELD("storage_dir", config.storage_dir = "\xff");
  CHECK_CONFIG_FIELD("application_name", config.application_name = "a\nb");
  CHECK_CONFIG_FIELD("application_version", config.application_version = "a\nb");
  CHECK_CONFIG_FIELD("application_build", config.application_build = "a\nb");
  CHECK_CONFIG_FIELD("server", config.server = "ftp://h");
  CHECK_CONFIG_FIELD("server", config.server = "http://h?q");
  CHECK_CONFIG_FIELD("server", config.server = "http://h#f");
  CHECK_CONFIG_FIELD("bucket", config.bucket = "a/b");
  CHECK_CONFIG_FIELD("proxy", config.proxy = "ftp://h");
  CHECK_CONFIG_FIELD("ca_file", config.ca_file = "/nowhere");
  CHECK_CONFIG_FIELD("headers", config.headers = bad_header);
  CHECK_CONFIG_FIELD("headers", config.headers = control);
  CHECK_CONFIG_FIELD("headers", config.headers = unnamed);
  CHECK_CONFIG_FIELD("headers", config.headers = reserved_header);
  CHECK_CONFIG_FIELD("user_agent", config.user_agent = "a\nb");
  CHECK_CONFIG_FIELD("connect_timeout_ms", config.connect_timeout_ms = -2);
  CHECK_CONFIG_FIELD("stall_timeout_ms", config.stall_timeout_ms = -2);
  CHECK_CONFIG_FIELD("total_timeout_ms", config.total_timeout_ms = -2);
  CHECK_CONFIG_FIELD("max_body_bytes", config.max_body_bytes = -1);
  CHECK_CONFIG_FIELD("max_stale_ms", config.max_stale_ms = INT64_MIN);
  CHECK_CONFIG_FIELD("log_level", config.log_level = 5);
  CHECK_CONFIG_FIELD("callbacks", config.callbacks = 2);
  CHECK_CONFIG_FIELD("transport.send", config.transport = &transport);
  CHECK_CONFIG_FIELD("clock.read", config.clock = &clock);
  transport.struct_size = clock.struct_size = 8;
  CHECK_CONFIG_FIELD("transport", config.transport = &transport);
  CHECK_CONFIG_FIELD("clock", config.clock = &clock);
}

/* Opens a collection, a bundle or settings with one wrong field. */
#define CHECK_FIELD_OF(kind, good, name, change)                                       \
  do {                                                                                 \
    remora_source *none = NULL;                                                        \
    remora_##kind##_options kind = good;                                               \
    remora_source_options options = without_fetch();                                   \
    change;                                                                            \
    CHECK_PARAMETER(name, remora_open_##kind(client, &kind, &options, &none, &error)); \
  } while (0)

#define CHECK_SHARED_FIELD(name, change)                            \
  do {                                                              \
    CHECK_FIELD_OF(collection, untrusted("c", NULL), name, change); \
    CHECK_FIELD_OF(bundle, bundle_at(NO_SERVER), name, change);     \
    CHECK_FIELD_OF(settings, settings_at(NO_SERVER), name, change); \
  } while (0)

TEST("each field of remora_source_options is named if its value is refused") {
  client = client_in_memory(NO_SERVER);
  CHECK_SHARED_FIELD("options", options.struct_size = 8);
  CHECK_SHARED_FIELD("first_fetch", options.first_fetch = 3);
  CHECK_SHARED_FIELD("persist_overrides", options.persist_overrides = 2);
  CHECK_SHARED_FIELD("refresh_interval_ms", options.refresh_interval_ms = -2);
  CHECK_SHARED_FIELD("refresh_interval_ms", options.refresh_interval_ms = 999);
  close_scene();
}

#define CHECK_COLLECTION_FIELD(name, change) CHECK_FIELD_OF(collection, untrusted("c", NULL), name, change)

TEST("each field of remora_collection_options is named if its value is refused") {
  static const char *const bad[] = {"bad value", NULL}, *const roots[] = {"0", "0", "0", "0", "0",
                                                                          "0", "0", "0", "0", NULL};
  client = client_in_memory(NO_SERVER);
  CHECK_COLLECTION_FIELD("collection", collection.struct_size = 8);
  CHECK_COLLECTION_FIELD("name", collection.name = NULL);
  CHECK_COLLECTION_FIELD("name", collection.name = "a/b");
  CHECK_COLLECTION_FIELD("bucket", collection.bucket = "a/b");
  CHECK_COLLECTION_FIELD("server", collection.server = "ftp://h");
  CHECK_COLLECTION_FIELD("root_sha256", collection.root_sha256 = "0");
  CHECK_COLLECTION_FIELD("root_sha256", collection.root_sha256 = "xyz");
  CHECK_COLLECTION_FIELD("signer", collection.signer = "\xff");
  CHECK_COLLECTION_FIELD("trust", collection.trust = 2);
  CHECK_COLLECTION_FIELD("activation", collection.activation = 4);
  CHECK_COLLECTION_FIELD("previous_roots", collection.previous_roots = bad);
  CHECK_COLLECTION_FIELD("previous_roots", collection.previous_roots = roots);
  CHECK_COLLECTION_FIELD("trusted_hosts", collection.trusted_hosts = bad);
  CHECK_COLLECTION_FIELD("max_future_ms", collection.max_future_ms = -2);
  CHECK_COLLECTION_FIELD("packaged_file", collection.packaged_file = "\xff");
  CHECK_COLLECTION_FIELD("packaged_data", (collection.packaged_file = "/x", collection.packaged_data = "{}"));
  CHECK_COLLECTION_FIELD("packaged_size", collection.packaged_size = 1);
  CHECK_COLLECTION_FIELD("packaged_data", collection.packaged_data = "{}");
  CHECK_COLLECTION_FIELD("packaged_attachments", collection.packaged_attachments = "\xff");
  close_scene();
}

#define CHECK_BUNDLE_FIELD(name, change) CHECK_FIELD_OF(bundle, bundle_at(NO_SERVER), name, change)

TEST("each field of remora_bundle_options is named if its value is refused") {
  client = client_in_memory(NO_SERVER);
  CHECK_BUNDLE_FIELD("bundle", bundle.struct_size = 8);
  CHECK_BUNDLE_FIELD("url", bundle.url = "ftp://h");
  CHECK_BUNDLE_FIELD("url", bundle.url = "http://u:p@h");
  CHECK_BUNDLE_FIELD("name", bundle.name = "\xff");
  CHECK_BUNDLE_FIELD("accepted_schema", bundle.accepted_schema = "http://h/1");
  CHECK_BUNDLE_FIELD("accepted_schema", bundle.accepted_schema = "h/x");
  CHECK_BUNDLE_FIELD("accepted_schema", bundle.accepted_schema = "a b");
  CHECK_BUNDLE_FIELD("method", bundle.method = 2);
  CHECK_BUNDLE_FIELD("activation", bundle.activation = 4);
  CHECK_BUNDLE_FIELD("activation", bundle.activation = REMORA_ACTIVATION_MANUAL);
  CHECK_BUNDLE_FIELD("default_bundle", bundle.default_bundle = "\xff");
  CHECK_BUNDLE_FIELD("default_version", bundle.default_version = 1);
  CHECK_BUNDLE_FIELD("default_version", (bundle.default_bundle = BUNDLE(2, ELEMENT("a")), bundle.default_version = 1));
  CHECK_BUNDLE_FIELD("default_version", (bundle.default_bundle = "[" ELEMENT("a") "]", bundle.default_version = -1));
  CHECK_BUNDLE_FIELD("first_fetch", (bundle.url = NULL, options.first_fetch = REMORA_FIRST_FETCH_AT_OPEN));
  CHECK_BUNDLE_FIELD("refresh_interval_ms", (bundle.url = NULL, options.refresh_interval_ms = 1000));
  close_scene();
}

#define CHECK_SETTINGS_FIELD(name, change) CHECK_FIELD_OF(settings, settings_at(NO_SERVER), name, change)

TEST("each field of remora_settings_options is named if its value is refused") {
  static const char *const odd[] = {"a", NULL}, *const unnamed[] = {"", "b", NULL}, *const tag[] = {"tag", "b", NULL};
  client = client_in_memory(NO_SERVER);
  CHECK_SETTINGS_FIELD("settings", settings.struct_size = 8);
  CHECK_SETTINGS_FIELD("url", settings.url = "ftp://h");
  CHECK_SETTINGS_FIELD("url", settings.url = "http://h#f");
  CHECK_SETTINGS_FIELD("request_params", settings.request_params = odd);
  CHECK_SETTINGS_FIELD("request_params", settings.request_params = unnamed);
  CHECK_SETTINGS_FIELD("request_params", (settings.request_params = tag, settings.tag = "t"));
  CHECK_SETTINGS_FIELD("root_key", settings.root_key = "");
  CHECK_SETTINGS_FIELD("tag", settings.tag = "");
  CHECK_SETTINGS_FIELD("tag_item", settings.tag_item = "");
  CHECK_SETTINGS_FIELD("activation", settings.activation = 4);
  CHECK_SETTINGS_FIELD("activation", (settings.tag = "t", settings.activation = REMORA_ACTIVATION_MANUAL));
  CHECK_SETTINGS_FIELD("memory_only", settings.memory_only = 2);
  CHECK_SETTINGS_FIELD("persist_overrides", (settings.memory_only = 1, options.persist_overrides = 1));
  CHECK_SETTINGS_FIELD("ttl_ms", settings.ttl_ms = -2);
  CHECK_SETTINGS_FIELD("packaged_file", settings.packaged_file = "\xff");
  CHECK_SETTINGS_FIELD("packaged_data", (settings.packaged_file = "/x", settings.packaged_data = "{}"));
  CHECK_SETTINGS_FIELD("packaged_size", settings.packaged_size = 1);
  close_scene();
}

#define CHECK_ATTACHMENT_FIELD(name, change)                                                \
  do {                                                                                      \
    remora_attachment *none = NULL;                                                         \
    remora_attachment_options options;                                                      \
    REMORA_INIT(&options);                                                                  \
    change;                                                                                 \
    CHECK_PARAMETER(name, remora_attachment_open(source, "a", &options, 0, &none, &error)); \
  } while (0)

TEST("each field of remora_attachment_options and remora_refresh_options is named if its value is refused") {
  remora_refresh_options refresh = {.struct_size = 8};
  open_local(sample_data);
  remora_source *other = open_untrusted(client, "other", sample_data);
  remora_snapshot *foreign = acquire(other);
  CHECK_ATTACHMENT_FIELD("options", options.struct_size = 8);
  CHECK_ATTACHMENT_FIELD("snapshot", options.snapshot = foreign);
  CHECK_ATTACHMENT_FIELD("max_bytes", options.max_bytes = -2);
  CHECK_ATTACHMENT_FIELD("by_location", options.by_location = 2);
  CHECK_ATTACHMENT_FIELD("local_only", options.local_only = 2);
  CHECK_PARAMETER("options", remora_refresh(source, &refresh, 0, NULL, &error));
  CHECK_PARAMETER("options", remora_await(source, &refresh, 0, NULL, &error));
  CHECK_PARAMETER("options", remora_sync(client, &refresh, 0, NULL, NULL, &error));
  CHECK_PARAMETER("force", remora_refresh(source, REFRESH_WITH(force, 2), 0, NULL, &error));
  CHECK_PARAMETER("only_if_empty", remora_refresh(source, REFRESH_WITH(only_if_empty, 2), 0, NULL, &error));
  CHECK_PARAMETER("expected_version", remora_refresh(source, REFRESH_WITH(expected_version, -1), 0, NULL, &error));
  remora_snapshot_release(foreign);
  remora_source_close(other);
  close_scene();
}

#define CHECK_SEED_FIELD(name, change)                                               \
  do {                                                                               \
    remora_seed_options options = seed_of_settings();                                \
    config.storage_dir = "/nowhere";                                                 \
    change;                                                                          \
    CHECK_PARAMETER(name, remora_seed_save(&config, &options, "/dev/null", &error)); \
  } while (0)

TEST("each field of remora_seed_options is named if its value is refused") {
  kept_request kept = {.calls = 0};
  CHECK_SEED_FIELD("options", options.struct_size = 8);
  CHECK_SEED_FIELD("options", options.settings = NULL);
  CHECK_SEED_FIELD("options", options.bundle = &bundle);
  CHECK_SEED_FIELD("memory_only", settings.memory_only = 1);
  CHECK_SEED_FIELD("url", (options.settings = NULL, options.bundle = &bundle, bundle.url = NULL));
  CHECK_SEED_FIELD("name", (options.settings = NULL, options.collection = &collection, collection.name = "a/b"));
  CHECK_SEED_FIELD("fetched_at_ms", options.fetched_at_ms = -1);
  CHECK_SEED_FIELD("storage_dir", config.storage_dir = REMORA_STORAGE_MEMORY);
  remora_seed_options options = seed_of_settings();
  options.identifier = "\xff";
  CHECK_PARAMETER("identifier", remora_seed_request(&config, &options, keep_request, &kept, &error));
  options = seed_of_settings();
  options.settings = NULL;
  options.collection = &collection;
  CHECK_PARAMETER("collection", remora_seed_request(&config, &options, keep_request, &kept, &error));
}
