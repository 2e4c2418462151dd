/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "transport and clock": requests that a host sends, and its answers. */
#include <string.h>

#include "transport_scene.h"

static void open_transport(void) {
  remora_config config = transport_config();
  open_with_config(&config);
}

static void answer_at_once(const remora_http_request *request) {
  CHECK_INT(REMORA_OK, respond(request->id, 200, CHANGESET(2000), "ETag: \"e1\""));
}

TEST("the program's transport receives requests with a method, a URL and the present headers of the client") {
  const char *const headers[] = {"X-Own: yes", NULL}, *const next[] = {"X-Token: new", NULL};
  remora_config config = transport_config();
  config.headers = headers;
  config.user_agent = "host/1";
  open_with_config(&config);
  post.during = answer_at_once;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(2000, live_version(source));
  CHECK_TEXT("GET", post.method);
  CHECK(strncmp(post.url, "https://settings.example/v2/buckets/main/collections/sample/changeset?", 69) == 0);
  CHECK_TEXT("User-Agent: host/1\nX-Own: yes\n", post.headers);
  REQUIRE_OK(remora_set_headers(client, next, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK(strstr(post.headers, "X-Token: new\n") != NULL && strstr(post.headers, "X-Own") == NULL);
  close_transport_scene();
}

static void answer_not_modified(const remora_http_request *request) {
  CHECK_INT(REMORA_OK, respond(request->id, 304, NULL, NULL));
}

TEST("the next request to the program's transport is conditional on the ETag of the last response") {
  open_transport();
  post.during = answer_at_once;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  /* The second response shows that the server ignores _since, so the third request has another URL. */
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  post.during = answer_not_modified;
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK(strstr(post.headers, "If-None-Match: \"e1\"") != NULL);
  close_transport_scene();
}

static void answer_with_attachment(const remora_http_request *request) {
  static const char changeset[] =
      "{\"metadata\":{\"bucket\":\"main\",\"id\":\"sample\"},\"timestamp\":1000,\"changes\":[{\"id\":\"a\","
      "\"last_modified\":1000,\"attachment\":{\"location\":\"a/b\",\"filename\":\"b\",\"size\":1,\"mimetype\":\"\","
      "\"hash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}}]}";
  CHECK_INT(REMORA_OK, respond(request->id, 200, changeset, NULL));
}

/* Makes each call that waits for requests, and then answers. */
static void wait_in_send(const remora_http_request *request) {
  remora_attachment *attachment = NULL;
  remora_snapshot *snapshot = NULL;
  CHECK_REFUSED(REMORA_ERR_BUSY, "cannot wait", remora_refresh(source, NULL, -1, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_BUSY, "cannot wait", remora_reset(source, &error));
  CHECK_REFUSED(REMORA_ERR_BUSY, "cannot wait", remora_sync(client, NULL, -1, NULL, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_BUSY, "cannot wait", remora_await(source, NULL, -1, &snapshot, &error));
  CHECK_REFUSED(REMORA_ERR_BUSY, "cannot wait", remora_attachment_open(source, "a", NULL, -1, &attachment, &error));
  answer_at_once(request);
}

TEST("a call that would wait for a request inside the transport's send is refused, and changes nothing") {
  open_transport();
  post.during = answer_with_attachment;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  post.during = wait_in_send;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(2000, live_version(source));
  close_transport_scene();
}

TEST("the program can answer a request of its transport later, and on another thread") {
  background_refresh refresh;
  open_transport();
  start_posted(&refresh, 1);
  CHECK_INT(0, tally_count(&refresh.done));
  CHECK_INT(REMORA_OK, respond(post.id, 200, CHANGESET(2000), NULL));
  check_posted(&refresh, REMORA_OK);
  close_transport_scene();
}

TEST("remora_respond refuses a second answer to a request, and an answer to an unknown request") {
  const int64_t unknown[] = {0, -1, 1, INT64_MAX, INT64_MIN};
  background_refresh refresh;
  open_transport();
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "is unknown",
                  remora_respond(unknown[i], &response_with(200, "{}", NULL)->raw, &error));
  start_posted(&refresh, 1);
  CHECK_INT(REMORA_OK, respond(post.id, 200, CHANGESET(2000), NULL));
  CHECK_INT(REMORA_ERR_NOT_FOUND, respond(post.id, 200, CHANGESET(3000), NULL));
  check_posted(&refresh, REMORA_OK);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "answered",
                remora_respond(post.id, &response_with(200, "{}", NULL)->raw, &error));
  CHECK_INT(2000, live_version(source));
  close_transport_scene();
}

TEST("a request that the program's transport does not answer fails after total_timeout_ms") {
  remora_config config = transport_config();
  config.total_timeout_ms = 20;
  open_with_config(&config);
  CHECK_REFUSED(REMORA_ERR_NETWORK, "within 20 ms", remora_refresh(source, NULL, -1, NULL, &error));
  REQUIRE(tally_await(&post.cancelled, 1));
  CHECK_INT(post.id, post.cancelled_id);
  CHECK_INT(REMORA_ERR_NOT_FOUND, respond(post.id, 200, CHANGESET(2000), NULL));
  close_transport_scene();
}

TEST("a refresh that times out cancels its request in the program's transport") {
  open_transport();
  /* Long enough for the request to begin on a busy machine. */
  CHECK_INT(REMORA_ERR_TIMEOUT, remora_refresh(source, NULL, 500, NULL, NULL));
  REQUIRE(tally_await(&post.sent, 1) && tally_await(&post.cancelled, 1));
  CHECK_INT(REMORA_ERR_NOT_FOUND, respond(post.id, 200, CHANGESET(2000), NULL));
  close_transport_scene();
}

TEST("remora_respond refuses an invalid response, its error names the invalid part, and the request keeps waiting") {
  const char *const headers[] = {"no colon", ": no name", "X Y: a", "X: a\r\nY: b", "X: \x01", "X: \xff", ""};
  const int statuses[] = {0, -1, 100, 199, 600, INT32_MAX};
  background_refresh refresh;
  open_transport();
  start_posted(&refresh, 1);
  CHECK_INVALID("response", remora_respond(post.id, NULL, &error));
  CHECK_STRUCT_SIZES(remora_http_response, (REMORA_INIT(options), options->http_status = 204),
                     remora_respond(post.id, options, &error));
  check_posted(&refresh, REMORA_ERR_HTTP);
  start_posted(&refresh, 2);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    CHECK_INVALID("headers", remora_respond(post.id, &response_with(200, "{}", headers[i])->raw, &error));
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    CHECK_INVALID("http_status", remora_respond(post.id, &response_with(statuses[i], "{}", NULL)->raw, &error));
  host_response *response = response_with(200, NULL, NULL);
  response->raw.body_size = 1;
  CHECK_INVALID("body", remora_respond(post.id, &response->raw, &error));
  response = response_with(200, "{}", NULL);
  response->raw.body_size = SIZE_MAX;
  CHECK_INVALID("body_size", remora_respond(post.id, &response->raw, &error));
  response = response_with(200, NULL, NULL);
  response->raw.failure = REMORA_ERR_NETWORK;
  CHECK_INVALID("http_status", remora_respond(post.id, &response->raw, &error));
  response->raw.http_status = 0;
  response->raw.failure = REMORA_ERR_PARSE;
  CHECK_INVALID("failure", remora_respond(post.id, &response->raw, &error));
  response->raw.failure = REMORA_ERR_NETWORK;
  response->raw.message = "two\nlines";
  CHECK_INVALID("message", remora_respond(post.id, &response->raw, &error));
  CHECK_INT(REMORA_OK, respond(post.id, 200, CHANGESET(2000), NULL));
  check_posted(&refresh, REMORA_OK);
  close_transport_scene();
}

static void refuse_with_tls(const remora_http_request *request) {
  host_response *response = response_with(0, NULL, NULL);
  response->raw.failure = REMORA_ERR_TLS;
  response->raw.message = "no certificate of mine";
  CHECK_INT(REMORA_OK, remora_respond(request->id, &response->raw, NULL));
}

static void refuse_without_words(const remora_http_request *request) {
  host_response *response = response_with(0, NULL, NULL);
  response->raw.failure = REMORA_ERR_NETWORK;
  CHECK_INT(REMORA_OK, remora_respond(request->id, &response->raw, NULL));
}

TEST("an error of the program's transport has the status and the message that the program passed") {
  open_transport();
  post.during = refuse_with_tls;
  CHECK_REFUSED(REMORA_ERR_TLS, "https://settings.example: no certificate of mine",
                remora_refresh(source, NULL, -1, NULL, &error));
  post.during = refuse_without_words;
  CHECK_REFUSED(REMORA_ERR_NETWORK, "the program's transport failed", remora_refresh(source, NULL, -1, NULL, &error));
  close_transport_scene();
}

static void answer_too_much(const remora_http_request *request) {
  static char body[2000];
  memset(body, ' ', sizeof body - 1);
  CHECK_INT(REMORA_OK, respond(request->id, 200, body, NULL));
}

static void answer_with_too_many_headers(const remora_http_request *request) {
  const char *headers[302];
  for (int i = 0; i < 301; i++) headers[i] = "X-Many: yes";
  headers[301] = NULL;
  host_response *response = response_with(200, "{}", NULL);
  response->raw.headers = headers;
  CHECK_INT(REMORA_OK, remora_respond(request->id, &response->raw, NULL));
}

TEST("a refresh fails if the transport's answer has too large a body or too many headers") {
  remora_config config = transport_config();
  config.max_body_bytes = 1000;
  open_with_config(&config);
  post.during = answer_too_much;
  CHECK_REFUSED(REMORA_ERR_TOO_LARGE, "1000 bytes", remora_refresh(source, NULL, -1, NULL, &error));
  post.during = answer_with_too_many_headers;
  CHECK_REFUSED(REMORA_ERR_TOO_LARGE, "200 lines", remora_refresh(source, NULL, -1, NULL, &error));
  close_transport_scene();
}

static void redirect_once(const remora_http_request *request) {
  if (strstr(request->url, "moved")) {
    CHECK_INT(REMORA_OK, respond(request->id, 200, CHANGESET(2000), NULL));
  } else {
    CHECK_INT(REMORA_OK, respond(request->id, 307, NULL, "Location: https://settings.example/moved"));
  }
}

TEST("Remora follows a redirect by sending a new request to the program's transport") {
  open_transport();
  post.during = redirect_once;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(2, tally_count(&post.sent));
  close_transport_scene();
}

TEST("if the program supplies a transport, preconnect sends nothing") {
  remora_config config = transport_config();
  config.application_name = "host";
  CHECK_STATUS(REMORA_OK, remora_preconnect(&config, "http://127.0.0.1:1/", NULL, &error));
  open_with_config(&config);
  CHECK_INT(0, tally_count(&post.sent));
  close_transport_scene();
}

TEST("if remora_setup fails, it frees the user data of the transport once, except if the transport has struct_size 0") {
  remora_config config = transport_config();
  remora_transport transport = scene_transport();
  config.transport = &transport;
  transport.send = NULL;
  CHECK_INVALID("transport.send", remora_setup(&config, &client, &error));
  CHECK_INT(1, tally_count(&post.freed));
  transport = scene_transport();
  config.server = "no server";
  CHECK_INVALID("server", remora_setup(&config, &client, &error));
  CHECK_INT(1, tally_count(&post.freed));
  transport.struct_size = 0;
  CHECK_PARAMETER("transport", remora_setup(&config, &client, &error));
  CHECK_INT(1, tally_count(&post.freed));
}

TEST("if a configuration or its transport has an unknown field, user data of the transport is freed once") {
  struct {
    remora_config known;
    uint64_t unknown[2]; /* A later library may know the first. */
  } config = {transport_config(), {0, 1}};
  remora_transport transport = scene_transport();
  config.known.struct_size = sizeof config;
  config.known.transport = &transport;
  CHECK_INVALID("sets a field that this version", remora_setup(&config.known, &client, &error));
  CHECK_INT(1, tally_count(&post.freed));
  struct {
    remora_transport known;
    uint64_t unknown[2];
  } grown = {scene_transport(), {0, 1}};
  grown.known.struct_size = sizeof grown;
  config.unknown[1] = 0;
  config.known.transport = &grown.known;
  CHECK_INVALID("sets a field that this version", remora_setup(&config.known, &client, &error));
  CHECK_INT(1, tally_count(&post.freed));
}
