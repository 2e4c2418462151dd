/* SPDX-License-Identifier: Apache-2.0 */

#include "seed_scene.h"

#include <stdio.h>

remora_config config;
remora_settings_options settings;
remora_bundle_options bundle;
remora_collection_options collection;

remora_seed_options seed_of_settings(void) {
  remora_seed_options options;
  REMORA_INIT(&config);
  REMORA_INIT(&settings);
  REMORA_INIT(&bundle);
  REMORA_INIT(&collection);
  REMORA_INIT(&options);
  settings.url = NO_SERVER "/x";
  bundle.url = NO_SERVER "/x";
  collection.name = "c";
  options.settings = &settings;
  return options;
}

void keep_request(const remora_http_request *request, void *user_data) {
  kept_request *out = user_data;
  int length = snprintf(out->text, sizeof out->text, "%s %s; ", request->method, request->url);
  CHECK(request->struct_size >= sizeof *request);
  CHECK_INT(0, request->id);
  for (const char *const *header = request->headers; *header; header++)
    length += snprintf(out->text + length, sizeof out->text - (size_t)length, "%s; ", *header);
  out->calls++;
  out->thread = pthread_self();
}
