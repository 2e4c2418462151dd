/* SPDX-License-Identifier: Apache-2.0 */

#include "transport_scene.h"

#include <stdio.h>

posted post;

static struct {
  pthread_mutex_t lock;
  int64_t wall_ms, monotonic_ms;
  tally reads;
  tally freed;
  int is_used;
} moved = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int is_transport_used;

static void keep(const remora_http_request *request, void *user_data) {
  CHECK(user_data == &post);
  CHECK(request->struct_size >= sizeof *request);
  post.id = request->id;
  snprintf(post.method, sizeof post.method, "%s", request->method);
  snprintf(post.url, sizeof post.url, "%s", request->url);
  post.headers[0] = '\0';
  for (const char *const *line = request->headers; *line; line++) {
    size_t length = strlen(post.headers);
    snprintf(post.headers + length, sizeof post.headers - length, "%s\n", *line);
  }
  if (post.during) post.during(request);
  tally_add(&post.sent);
}

static void note_cancel(int64_t id, void *user_data) {
  CHECK(user_data == &post);
  post.cancelled_id = id;
  tally_add(&post.cancelled);
}

static void note_free(void *user_data) {
  CHECK(user_data == &post);
  tally_add(&post.freed);
}

remora_transport scene_transport(void) {
  remora_transport transport;
  tally_init(&post.sent);
  tally_init(&post.cancelled);
  tally_init(&post.freed);
  REMORA_INIT(&transport);
  transport.send = keep;
  transport.cancel = note_cancel;
  transport.user_data = &post;
  transport.free_user_data = note_free;
  return transport;
}

static void read_time(int64_t *out_wall_ms, int64_t *out_monotonic_ms, void *user_data) {
  CHECK(user_data == &moved);
  pthread_mutex_lock(&moved.lock);
  *out_wall_ms = moved.wall_ms;
  *out_monotonic_ms = moved.monotonic_ms;
  pthread_mutex_unlock(&moved.lock);
  tally_add(&moved.reads);
}

static void note_clock_free(void *user_data) {
  CHECK(user_data == &moved);
  tally_add(&moved.freed);
}

static remora_config base_config(void) {
  remora_config config;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = "https://settings.example";
  return config;
}

remora_config transport_config(void) {
  static remora_transport transport;
  remora_config config = base_config();
  transport = scene_transport();
  config.transport = &transport;
  is_transport_used = 1;
  return config;
}

remora_config clock_config(void) {
  static remora_clock clock;
  remora_config config = transport_config();
  tally_init(&moved.reads);
  tally_init(&moved.freed);
  REMORA_INIT(&clock);
  clock.read = read_time;
  clock.user_data = &moved;
  clock.free_user_data = note_clock_free;
  scene_time_is(1750000000000, 5000);
  config.clock = &clock;
  moved.is_used = 1;
  return config;
}

void open_with_config(const remora_config *config) {
  REQUIRE_OK(remora_setup(config, &client, &error));
  source = open_untrusted(client, "sample", NULL);
}

void close_transport_scene(void) {
  close_scene();
  if (is_transport_used) CHECK_INT(1, tally_count(&post.freed));
  if (moved.is_used) CHECK_INT(1, tally_count(&moved.freed));
}

void start_posted(background_refresh *refresh, int sent) {
  background_start(refresh, source);
  REQUIRE(tally_await(&post.sent, sent));
}

void check_posted(background_refresh *refresh, remora_status status) {
  background_join(refresh);
  CHECK_TEXT(remora_status_name(status), remora_status_name(refresh->status));
}

host_response *response_with(int status, const char *body, const char *header) {
  static host_response response;
  REMORA_INIT(&response.raw);
  response.raw.http_status = status;
  response.raw.body = body;
  response.raw.body_size = body ? strlen(body) : 0;
  response.headers[0] = header;
  response.headers[1] = NULL;
  response.raw.headers = response.headers;
  return &response;
}

remora_status respond(int64_t id, int status, const char *body, const char *header) {
  return remora_respond(id, &response_with(status, body, header)->raw, NULL);
}

void scene_time_is(int64_t wall_ms, int64_t monotonic_ms) {
  pthread_mutex_lock(&moved.lock);
  moved.wall_ms = wall_ms;
  moved.monotonic_ms = monotonic_ms;
  pthread_mutex_unlock(&moved.lock);
}

void advance_ms(int64_t ms) {
  pthread_mutex_lock(&moved.lock);
  moved.wall_ms += ms;
  moved.monotonic_ms += ms;
  pthread_mutex_unlock(&moved.lock);
  remora_clock_changed();
}

int clock_reads(void) { return tally_count(&moved.reads); }
