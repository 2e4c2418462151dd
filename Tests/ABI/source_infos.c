/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "sources": the name, server and kind of a source, and the list of a client's sources. */
#include <stdio.h>

#include "bundle_scene.h"
#include "scene.h"
#include "settings_scene.h"

#define HOST "http://127.0.0.1:1"

/* The names of the visited sources, with a space behind each. */
typedef struct walk {
  char names[256];
  int left;                                             /* How many are wanted; -1: all. */
  void (*during)(const remora_source_info *of, void *); /* Inside the visitor. */
} walk;

static int32_t note_name(const remora_source_info *info, void *raw) {
  walk *walk = raw;
  size_t length = strlen(walk->names);
  CHECK(info->struct_size >= sizeof *info);
  snprintf(walk->names + length, sizeof walk->names - length, "%s ", info->name);
  if (walk->during) walk->during(info, walk);
  return walk->left > 0 && --walk->left == 0;
}

static void check_walk(const char *expected, walk walk, const char *file, int line) {
  REQUIRE_OK(remora_source_foreach(client, note_name, &walk, &error));
  check_text(expected, walk.names, "the visited sources", file, line);
}

#define CHECK_WALK(expected) check_walk((expected), (walk){.left = -1}, __FILE__, __LINE__)

static void check_info(remora_source *of, const char *name, const char *base, remora_source_kind kind) {
  remora_source_info info = {.struct_size = sizeof info};
  REQUIRE_OK(remora_source_get_info(of, &info, &error));
  CHECK_TEXT(name, info.name);
  CHECK_TEXT(base, info.server);
  CHECK_INT(kind, info.kind);
}

TEST("the info of a source has a name, a server and a kind, without the query of its URL") {
  open_local(sample_data);
  check_info(source, "main/sample", HOST "/v2", REMORA_KIND_COLLECTION);
  remora_bundle_options bundle = bundle_at(HOST "/bundle.json?secret=1");
  bundle.name = "mine";
  remora_source *fetched = open_bundle(client, &bundle);
  check_info(fetched, HOST "/bundle.json mine", HOST, REMORA_KIND_BUNDLE);
  bundle = bundle_at(NULL);
  remora_source *local = open_bundle(client, &bundle);
  remora_source_info info = {.struct_size = sizeof info};
  REQUIRE_OK(remora_source_get_info(local, &info, &error));
  CHECK_TEXT("", info.server);
  CHECK_INT(REMORA_KIND_BUNDLE, info.kind);
  remora_settings_options settings = settings_at(HOST "/settings?secret=1");
  settings.tag = "editor";
  remora_source *tagged = open_settings(client, &settings);
  check_info(tagged, HOST "/settings#editor", HOST, REMORA_KIND_SETTINGS);
  remora_source_close(fetched);
  remora_source_close(local);
  remora_source_close(tagged);
  close_scene();
}

TEST("the name and server in the info of a source are valid until the source handle is closed") {
  remora_source_info before = {.struct_size = sizeof before}, after = {.struct_size = sizeof after};
  open_served(NULL);
  remora_source *other = open_untrusted(client, "sample", NULL);
  REQUIRE_OK(remora_source_get_info(source, &before, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_source_get_info(source, &after, &error));
  CHECK(before.name == after.name && before.server == after.server);
  remora_source_close(other);
  remora_client_close(client);
  client = NULL;
  CHECK_TEXT("main/sample", before.name);
  close_scene();
}

TEST("remora_source_foreach visits the open sources in the order of opening") {
  open_local(sample_data);
  CHECK_WALK("main/sample ");
  remora_settings_options settings = settings_at(HOST "/b");
  remora_bundle_options bundle = bundle_at(HOST "/a");
  remora_source *second = open_settings(client, &settings);
  remora_source *third = open_bundle(client, &bundle);
  remora_source *fourth = open_untrusted(client, "alpha", NULL);
  CHECK_WALK("main/sample " HOST "/b " HOST "/a main/alpha ");
  remora_source_close(second);
  CHECK_WALK("main/sample " HOST "/a main/alpha ");
  second = open_settings(client, &settings);
  CHECK_WALK("main/sample " HOST "/a main/alpha " HOST "/b ");
  remora_source_close(second);
  remora_source_close(third);
  remora_source_close(fourth);
  close_scene();
}

static void compare_with_info(const remora_source_info *visited, void *unused) {
  remora_source_info info = {.struct_size = sizeof info};
  (void)unused;
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  CHECK_TEXT(info.name, visited->name);
  CHECK_TEXT(info.server, visited->server);
  CHECK_INT(info.kind, visited->kind);
  CHECK_INT(info.origin, visited->origin);
  CHECK_INT(info.version, visited->version);
  CHECK_INT(info.checked_at_ms, visited->checked_at_ms);
  CHECK_INT((int64_t)info.generation, (int64_t)visited->generation);
  CHECK_INT(info.last_error.status, visited->last_error.status);
}

TEST("remora_source_foreach passes the same info as remora_source_get_info to its visitor") {
  open_served(NULL);
  loopback_publish(server, 2000, "[]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_fail(server, 500, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  check_walk("main/sample ", (walk){.left = -1, .during = compare_with_info}, __FILE__, __LINE__);
  close_scene();
}

TEST("remora_source_foreach visits a source with two handles once, until both are closed") {
  open_local(sample_data);
  remora_source *same = open_untrusted(client, "sample", NULL);
  remora_source *other = open_untrusted(client, "other", NULL);
  CHECK_WALK("main/sample main/other ");
  remora_source_close(source);
  source = NULL;
  CHECK_WALK("main/sample main/other ");
  remora_source_close(same);
  CHECK_WALK("main/other ");
  remora_source_close(other);
  CHECK_WALK("");
  close_scene();
}

TEST("a visitor can stop the iteration over the sources of a client") {
  open_local(sample_data);
  remora_source *second = open_untrusted(client, "second", NULL), *third = open_untrusted(client, "third", NULL);
  check_walk("main/sample ", (walk){.left = 1}, __FILE__, __LINE__);
  check_walk("main/sample main/second ", (walk){.left = 2}, __FILE__, __LINE__);
  remora_source_close(second);
  remora_source_close(third);
  close_scene();
}

static remora_source *second, *third;

static void close_the_second(const remora_source_info *unused, void *unused_too) {
  (void)unused;
  (void)unused_too;
  remora_source_close(second);
  second = NULL;
}

static void close_the_client(const remora_source_info *unused, void *unused_too) {
  (void)unused;
  (void)unused_too;
  remora_client_close(client);
  client = NULL;
}

TEST("a source that is closed during the iteration over the sources is skipped") {
  open_local(sample_data);
  second = open_untrusted(client, "second", NULL);
  third = open_untrusted(client, "third", NULL);
  check_walk("main/sample main/third ", (walk){.left = -1, .during = close_the_second}, __FILE__, __LINE__);
  check_walk("main/sample ", (walk){.left = -1, .during = close_the_client}, __FILE__, __LINE__);
  remora_source_close(third);
  close_scene();
}

TEST("an error of remora_source_foreach about a NULL argument names the argument") {
  walk none = {.left = -1};
  open_local(sample_data);
  CHECK_INVALID("client", remora_source_foreach(NULL, note_name, &none, &error));
  CHECK_INVALID("visitor", remora_source_foreach(client, NULL, &none, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_source_foreach(NULL, NULL, NULL, NULL));
  CHECK_TEXT("", none.names);
  CHECK_INT(REMORA_OK, remora_source_foreach(client, note_name, &none, NULL));
  close_scene();
}
