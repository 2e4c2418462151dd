/* SPDX-License-Identifier: Apache-2.0 */

#include "bundle_scene.h"

#include <stdio.h>
#include <string.h>

remora_bundle_options bundle_at(const char *url) {
  remora_bundle_options bundle;
  REMORA_INIT(&bundle);
  bundle.url = url;
  return bundle;
}

remora_source *open_bundle(remora_client *client, const remora_bundle_options *bundle) {
  remora_source_options options = without_fetch();
  return open_bundle_with(client, bundle, &options);
}

remora_source *open_bundle_with(remora_client *client, const remora_bundle_options *bundle,
                                const remora_source_options *options) {
  remora_source *source = NULL;
  REQUIRE_OK(remora_open_bundle(client, bundle, options, &source, &error));
  REQUIRE(source != NULL);
  return source;
}

int32_t list_one(const remora_namespace *entry, void *raw) {
  listing *list = raw;
  size_t length = strlen(list->text);
  CHECK_INT((int64_t)strlen(entry->name), (int64_t)entry->name_length);
  CHECK_INT(entry->origin == REMORA_ORIGIN_OVERRIDE, entry->has_override);
  snprintf(list->text + length, sizeof list->text - length, entry->in_bundle ? "%s%s%s" : "%s(%s%s)", length ? " " : "",
           entry->name, entry->is_default ? "*" : "");
  return list->left > 0 && --list->left == 0;
}
