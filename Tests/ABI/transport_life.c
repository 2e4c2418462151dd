/* SPDX-License-Identifier: Apache-2.0 */

/* A host's transport and the life of its client: attachments, close, fork and log lines. */
#include <stdio.h>
#include <unistd.h>

#include "attachment_scene.h"
#include "transport_scene.h"

static void open_transport(void) {
  remora_config config = transport_config();
  open_with_config(&config);
}

TEST("closing a client frees the transport's user data, and a later answer is refused") {
  background_refresh refresh;
  open_transport();
  start_posted(&refresh, 1);
  int64_t id = post.id;
  remora_client_close(client);
  client = NULL;
  CHECK_INT(1, tally_count(&post.freed));
  check_posted(&refresh, REMORA_ERR_CLOSED);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "closed", remora_respond(id, &response_with(200, "{}", NULL)->raw, &error));
  CHECK_INT(0, tally_count(&post.cancelled));
  close_transport_scene();
}

static gate held;

static void hold(const remora_http_request *request) {
  (void)request;
  gate_hold(&held);
}

TEST("closing a client waits for a send callback that is running") {
  background_refresh refresh;
  background_close closing = {.client = NULL};
  pthread_t thread;
  open_transport();
  gate_init(&held);
  tally_init(&closing.done);
  post.during = hold;
  background_start(&refresh, source);
  REQUIRE(gate_await_arrival(&held));
  closing.client = client;
  client = NULL;
  REQUIRE(pthread_create(&thread, NULL, close_apart, &closing) == 0);
  check_posted(&refresh, REMORA_ERR_CLOSED);
  CHECK_INT(0, tally_count(&closing.done));
  CHECK_INT(0, tally_count(&post.freed));
  gate_open(&held);
  REQUIRE(tally_await(&closing.done, 1));
  pthread_join(thread, NULL);
  close_transport_scene();
}

static void close_here(const remora_http_request *request) {
  remora_client_close(client);
  client = NULL;
  CHECK_INT(REMORA_ERR_NOT_FOUND, respond(request->id, 200, CHANGESET(2000), NULL));
  CHECK_INT(0, tally_count(&post.freed));
}

TEST("a send callback can close its client") {
  background_refresh refresh;
  open_transport();
  post.during = close_here;
  background_start(&refresh, source);
  check_posted(&refresh, REMORA_ERR_CLOSED);
  REQUIRE(tally_await(&post.freed, 1));
  close_transport_scene();
}

static void answer_at_once(const remora_http_request *request) {
  CHECK_INT(REMORA_OK, respond(request->id, 200, CHANGESET(2000), NULL));
}

/* In the child: requests of the parent's client fail, answers to the parent's requests are refused, and a new client
 * works. */
static int child_needs_a_new_client(int64_t parents) {
  remora_error error;
  remora_source_info before, after;
  REMORA_INIT(&before);
  REMORA_INIT(&after);
  remora_source_get_info(source, &before, NULL);
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, &error) != REMORA_ERR_UNAVAILABLE) return 10;
  /* A recorded attempt would delay the scheduled refreshes of the parent. */
  remora_source_get_info(source, &after, NULL);
  if (after.attempted_at_ms != before.attempted_at_ms) return 15;
  if (!strstr(error.message, "create a new client")) return 11;
  if (respond(parents, 200, CHANGESET(2000), NULL) != REMORA_ERR_NOT_FOUND) return 12;
  remora_config config = transport_config();
  open_with_config(&config);
  post.during = answer_at_once;
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) return 13;
  return post.id == parents ? 14 : 0;
}

TEST("in a forked child, the program's transport works only with a client that the child created") {
  background_refresh refresh;
  open_transport();
  start_posted(&refresh, 1);
  pid_t child = fork();
  if (child == 0) _exit(child_needs_a_new_client(post.id));
  check_child(child);
  CHECK_INT(REMORA_OK, respond(post.id, 200, CHANGESET(2000), NULL));
  check_posted(&refresh, REMORA_OK);
  close_transport_scene();
}

static tally warnings;

static void count_warning(const remora_log_entry *entry, void *unused) {
  (void)unused;
  if (entry->level == REMORA_LOG_WARNING && strstr(entry->message, "the program's ")) tally_add(&warnings);
}

TEST("if the program supplies a transport and a clock, the client logs a warning about each") {
  remora_config config = clock_config();
  tally_init(&warnings);
  config.on_log = count_warning;
  open_with_config(&config);
  CHECK(tally_await(&warnings, 2));
  close_transport_scene();
}

#define FILE_TEXT "seventeen letters"
#define FILE_HASH "4c4f08ff2ecaf940d057dbb4cbe1af451cce187d8b8aea26de7c2e3906f48308"

static int downloads;

/* Answers as a server with one record whose attachment is FILE_TEXT; the first download ends after four bytes. */
static void serve_attachment(const remora_http_request *request) {
  const char *body =
      "{\"metadata\":{\"bucket\":\"main\",\"id\":\"sample\"},\"timestamp\":2000,\"changes\":[{\"id\":\"a\","
      "\"last_modified\":2000,\"attachment\":{\"location\":\"f\",\"size\":17,\"filename\":\"f\",\"mimetype\":\"text/"
      "plain\",\"hash\":\"" FILE_HASH "\"}}]}";
  if (strstr(request->url, "/changeset")) {
    CHECK_INT(REMORA_OK, respond(request->id, 200, body, NULL));
  } else if (strstr(request->url, "/files/f")) {
    downloads++;
    CHECK_INT(REMORA_OK, respond(request->id, 200, FILE_TEXT, NULL));
  } else {
    body = "{\"capabilities\":{\"attachments\":{\"base_url\":\"https://settings.example/files/\"}}}";
    CHECK_INT(REMORA_OK, respond(request->id, 200, body, NULL));
  }
}

TEST("attachments are downloaded by the program's transport and verified") {
  remora_attachment *attachment = NULL;
  open_transport();
  post.during = serve_attachment;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_attachment_open(source, "a", NULL, PATIENCE_MS, &attachment, &error));
  CHECK_INT(1, downloads);
  check_text_of(FILE_TEXT, attachment);
  remora_attachment_release(attachment);
  close_transport_scene();
}
