/* SPDX-License-Identifier: Apache-2.0 */

#include "activation_scene.h"

recorder source_events;

void open_with(int32_t activation, const char *directory) {
  remora_collection_options collection = untrusted("sample", A_AT_1000);
  remora_source_options options = recorded(&source_events);
  collection.activation = activation;
  recorder_init(&source_events);
  if (!server) {
    server = loopback_start();
    loopback_publish(server, 2000, B_AT_2000, 0, NULL);
  }
  client = directory ? client_in_directory(directory, loopback_url(server)) : client_in_memory(loopback_url(server));
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  recorder_await(&source_events, 1);
}

void close_client(void) {
  remora_source_close(source);
  remora_client_close(client);
  source = NULL;
  client = NULL;
}

int32_t has_staged(void) {
  remora_source_info info = {.struct_size = sizeof info};
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  return info.has_staged;
}

void check_activated(int32_t expected) {
  int32_t outcome = -1;
  REQUIRE_OK(remora_activate(source, NULL, &outcome, &error));
  CHECK_INT(expected, outcome);
}
