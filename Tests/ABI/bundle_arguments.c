/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "bundles": what is refused. */
#include <stdlib.h>
#include <string.h>

#include "bundle_scene.h"

#define CHECK_INVALID_OPEN(word, change) CHECK_OPEN(REMORA_ERR_INVALID_ARGUMENT, word, change)
#define CHECK_OPEN(expected, word, change) CHECK_OPENING(bundle, bundle_at(NO_SERVER), expected, word, change)

TEST("opening a bundle refuses an invalid option, and the error names the option") {
  const char *const urls[] = {
      "",        "ftp://h/x", "https://u:p@h/x", "https://h/a b", "https://h/x#y", "https://h/\xff", "https://h:99999/",
      "https://"};
  char *long_url = long_text(8193);
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) CHECK_INVALID_OPEN("url", bundle.url = urls[i]);
  CHECK_INVALID_OPEN("url", bundle.url = long_url);
  free(long_url);
  CHECK_INVALID_OPEN("name", bundle.name = "\xff");
  CHECK_INVALID_OPEN("method", bundle.method = 2);
  CHECK_INVALID_OPEN("method", bundle.method = -1);
  CHECK_INVALID_OPEN("activation", bundle.activation = REMORA_ACTIVATION_NEXT_SETUP);
  CHECK_INVALID_OPEN("activation", bundle.activation = REMORA_ACTIVATION_MANUAL);
  CHECK_INVALID_OPEN("activation", bundle.activation = -1);
  CHECK_INVALID_OPEN("accepted_schema", bundle.accepted_schema = "");
  CHECK_INVALID_OPEN("accepted_schema", bundle.accepted_schema = "https://v/n/1");
  CHECK_INVALID_OPEN("default_version", bundle.default_version = 1);
  CHECK_INVALID_OPEN("default_version", (bundle.default_bundle = "[]", bundle.default_version = -1));
  CHECK_INVALID_OPEN("refresh_interval_ms", options.refresh_interval_ms = 999);
  CHECK_INVALID_OPEN("refresh_interval_ms", (bundle.url = NULL, options.refresh_interval_ms = 1000));
  CHECK_INVALID_OPEN("persist_overrides", options.persist_overrides = 2);
  CHECK_OPEN(REMORA_ERR_PARSE, "default_bundle", bundle.default_bundle = "[");
  CHECK_OPEN(REMORA_ERR_PARSE, "default_bundle", bundle.default_bundle = "");
  CHECK_OPEN(REMORA_ERR_FORMAT, "default_bundle", bundle.default_bundle = "{}");
  CHECK_OPEN(REMORA_ERR_FORMAT, "/0/trackerConfiguration/appId",
             bundle.default_bundle = "[{\"namespace\":\"a\",\"trackerConfiguration\":{\"appId\":1}}]");
}

TEST("an error of a bundle function names the argument that is NULL or not a bundle") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_bundle_options bundle = bundle_at(NO_SERVER);
  remora_source *source = NULL;
  listing list = {.left = -1};
  CHECK_INVALID("client", remora_open_bundle(NULL, &bundle, NULL, &source, &error));
  CHECK_INVALID("bundle", remora_open_bundle(client, NULL, NULL, &source, &error));
  CHECK_INVALID("out_source", remora_open_bundle(client, &bundle, NULL, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_open_bundle(NULL, NULL, NULL, NULL, NULL));
  CHECK_INVALID("source", remora_namespace_foreach(NULL, NULL, list_one, &list, &error));
  source = open_bundle(client, &bundle);
  CHECK_INVALID("visitor", remora_namespace_foreach(source, NULL, NULL, &list, &error));
  CHECK_INT(REMORA_OK, remora_namespace_foreach(source, NULL, list_one, &list, NULL));
  CHECK_TEXT("", list.text);
  remora_attachment *opened = NULL;
  CHECK_INVALID("source", remora_attachment_open(source, "a", NULL, PATIENCE_MS, &opened, &error));
  remora_source_close(source);
  source = open_untrusted(client, "sample", sample_data);
  CHECK_INVALID("source", remora_namespace_foreach(source, NULL, list_one, &list, &error));
  remora_snapshot *foreign = NULL;
  REQUIRE_OK(remora_snapshot_acquire(source, 0, &foreign, &error));
  remora_source *other = open_bundle(client, &bundle);
  CHECK_INVALID("snapshot", remora_namespace_foreach(other, foreign, list_one, &list, &error));
  remora_snapshot_release(foreign);
  remora_source_close(other);
  remora_source_close(source);
  remora_client_close(client);
}

TEST("a too small remora_bundle_options is refused, and a larger one is accepted only if the extra bytes are 0") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = NULL;
  CHECK_STRUCT_SIZES(remora_bundle_options, *options = bundle_at(NO_SERVER),
                     remora_open_bundle(client, options, NULL, &source, &error));
  remora_source_close(source);
  remora_client_close(client);
  CHECK_INIT_STAYS_INSIDE(remora_bundle_options);
}
