/* SPDX-License-Identifier: Apache-2.0 */

/* Opens and closes the scene. */
#include "scene.h"

loopback *server;
remora_client *client;
remora_source *source;
remora_snapshot *snapshot;

static void open_at(const char *url, const char *packaged) {
  client = client_in_memory(url);
  source = open_untrusted(client, "sample", packaged);
  snapshot = acquire(source);
}

void open_served(const char *packaged) {
  server = loopback_start();
  open_at(loopback_url(server), packaged);
}

void open_local(const char *packaged) { open_at(NO_SERVER, packaged); }

int was_asked(const char *text) {
  char head[1024];
  loopback_last_head(server, head, sizeof head);
  return strstr(head, text) != NULL;
}

void close_scene(void) {
  remora_snapshot_release(snapshot);
  remora_source_close(source);
  remora_client_close(client);
  if (server) loopback_stop(server);
}
