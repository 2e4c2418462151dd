/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": asynchronous openings, and what ends them. */
#include "suites.h"

#include <unistd.h>

#include "attachment_scene.h"
#include "host_loop.h"

/* The promise is 200 ms; the rest is slack. */
enum { CLOSE_MS = 1200 };

static opening first, second;

static void open_all(void) {
  opening_init(&first);
  opening_init(&second);
  open_attachments(NULL);
}

/* Starts one whose download has begun and stands still. */
static remora_request *start_stalled(opening *opening) {
  loopback_stall(server, 150000);
  remora_request *request = start_opening("large", opening);
  REQUIRE(loopback_await_downloads(server, 1));
  return request;
}

static void check_end(opening *end, remora_status status) {
  REQUIRE(tally_await(&end->calls, 1));
  CHECK_INT(status, end->status);
  CHECK_INT(status, end->error);
  CHECK_INT(status == REMORA_OK, end->has_attachment);
  CHECK(tally_await(&end->freed, 1));
  CHECK(tally_await(&end->progress_freed, 1));
}

/* Everything was told and freed once, also after the end of the client. */
static void check_once(opening *end) {
  CHECK_INT(1, tally_count(&end->calls));
  CHECK_INT(1, tally_count(&end->freed));
  CHECK_INT(1, tally_count(&end->progress_freed));
}

static void the_callback_comes_once(void) {
  open_all();
  first.keeps = 1;
  remora_request *request = start_opening("large", &first);
  check_end(&first, REMORA_OK);
  CHECK_INT(LARGE_BYTES, first.received);
  CHECK_INT(LARGE_BYTES, first.total);
  remora_request_cancel(request);
  remora_request_release(request);
  close_scene();
  check_once(&first);
  check_text_of(large_text(), first.kept);
  remora_attachment_close(remora_attachment_retain(first.kept));
  check_text_of(large_text(), first.kept);
  remora_attachment_close(first.kept);
}

static void failures_are_told(void) {
  open_all();
  remora_request_release(start_opening("other", &first));
  check_end(&first, REMORA_ERR_ATTACHMENT_MISMATCH);
  loopback_fail(server, 503, "Retry-After: 60");
  remora_request_release(start_opening("large", &second));
  check_end(&second, REMORA_ERR_HTTP);
  close_scene();
}

static void what_is_meant_is_settled_at_once(void) {
  open_all();
  remora_attachment_options options = of_record("nobody");
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "nobody",
                remora_attachment_open_async(source, &options, opening_told, &first, opening_freed, NULL, &error));
  options.record = "climbing";
  CHECK_REFUSED(REMORA_ERR_FORMAT, "climbing",
                remora_attachment_open_async(source, &options, opening_told, &first, opening_freed, NULL, &error));
  options.record = "huge";
  CHECK_REFUSED(REMORA_ERR_TOO_LARGE, "limit",
                remora_attachment_open_async(source, &options, opening_told, &first, opening_freed, NULL, &error));
  CHECK_INT(3, tally_count(&first.freed));
  CHECK_INT(0, tally_count(&first.calls));
  options = of_record("large");
  options.flags = REMORA_ATTACHMENT_LOCAL;
  REQUIRE_OK(remora_attachment_open_async(source, &options, opening_told, &first, opening_freed, NULL, &error));
  REQUIRE(tally_await(&first.calls, 1));
  CHECK_INT(REMORA_ERR_NOT_FOUND, first.status);
  close_scene();
}

static void neither_callback_nor_handle_is_needed(void) {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment_options options = of_record("small");
  CHECK_STATUS(REMORA_OK, remora_attachment_open_async(source, &options, NULL, NULL, NULL, NULL, &error));
  REQUIRE(loopback_await_downloads(server, 1));
  remora_attachment *attachment = open_record("small");
  check_text_of(small_text, attachment);
  CHECK_INT(1, loopback_downloads(server));
  remora_attachment_close(attachment);
  close_scene();
  remove_directory(directory);
}

static void two_at_once_share_a_download(void) {
  open_all();
  remora_request *request = start_stalled(&first);
  remora_request_release(start_opening("large", &second));
  loopback_flow(server);
  check_end(&first, REMORA_OK);
  check_end(&second, REMORA_OK);
  CHECK_INT(LARGE_BYTES, second.received);
  CHECK_INT(1, loopback_downloads(server));
  remora_request_release(request);
  close_scene();
}

static void cancel_ends_one_and_the_last_the_download(void) {
  open_all();
  remora_request *request = start_stalled(&first);
  remora_request *other = start_opening("large", &second);
  remora_request_cancel(request);
  check_end(&first, REMORA_ERR_CANCELLED);
  CHECK_INT(0, tally_count(&second.calls));
  remora_request_cancel(other);
  remora_request_cancel(other);
  check_end(&second, REMORA_ERR_CANCELLED);
  remora_request_release(request);
  remora_request_release(other);
  loopback_flow(server);
  remora_attachment *attachment = open_record("large");
  check_text_of(large_text(), attachment);
  remora_attachment_close(attachment);
  close_scene();
  check_once(&first);
  check_once(&second);
}

static void close_ends_a_download(void) {
  open_all();
  remora_request *request = start_stalled(&first);
  int64_t before = now_ms();
  remora_close(client);
  CHECK(now_ms() - before < CLOSE_MS);
  client = NULL;
  CHECK_INT(0, tally_count(&first.calls));
  CHECK_INT(1, tally_count(&first.freed));
  CHECK_INT(1, tally_count(&first.progress_freed));
  remora_request_cancel(request);
  remora_request_release(request);
  remora_attachment_options options = of_record("large");
  remora_attachment *attachment = NULL;
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_attachment_open(source, &options, -1, &attachment, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed",
                remora_attachment_open_async(source, &options, opening_told, &second, opening_freed, NULL, &error));
  CHECK_INT(1, tally_count(&second.freed));
  close_scene();
}

static void the_end_of_a_handle_ends_its_openings(void) {
  open_all();
  remora_source *handle = source;
  source = open_untrusted(client, "sample", NULL);
  remora_request *request = start_stalled(&first);
  remora_source_close(source);
  source = handle;
  CHECK_INT(0, tally_count(&first.calls));
  CHECK_INT(1, tally_count(&first.freed));
  CHECK_INT(1, tally_count(&first.progress_freed));
  remora_request_release(request);
  loopback_flow(server);
  remora_attachment_close(open_record("large"));
  close_scene();
  CHECK_INT(0, tally_count(&first.calls));
}

static void close_the_client(void) {
  remora_close(client);
  client = NULL;
}

static void close_the_source(void) {
  remora_source_close(source);
  source = NULL;
}

static void a_callback_may_close(void) {
  open_all();
  first.during = close_the_source;
  remora_request_release(start_opening("small", &first));
  CHECK(tally_await(&first.freed, 1));
  CHECK_INT(REMORA_OK, first.status);
  source = open_untrusted(client, "sample", NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  second.during = close_the_client;
  remora_request_release(start_opening("small", &second));
  CHECK(tally_await(&second.freed, 1));
  CHECK_INT(REMORA_OK, second.status);
  close_scene();
}

static void progress_may_close(void) {
  open_all();
  loopback_stall(server, 150000);
  first.during_progress = close_the_client;
  remora_attachment_options options = of_record("large");
  options.progress = opening_progress;
  options.progress_user_data = &first;
  options.progress_free_user_data = opening_progress_freed;
  remora_attachment *attachment = NULL;
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_attachment_open(source, &options, -1, &attachment, &error));
  CHECK(attachment == NULL);
  CHECK_INT(1, tally_count(&first.progress));
  CHECK_INT(1, tally_count(&first.progress_freed));
  close_scene();
}

/* In the child: the download of the parent stays with it, and the child makes its own. */
static int child_opens_for_itself(void) {
  remora_attachment_options options = of_record("large");
  remora_attachment *attachment = NULL;
  if (remora_attachment_open(source, &options, 0, &attachment, NULL) != REMORA_ERR_TIMEOUT) return 10;
  options.record = "small";
  if (remora_attachment_open(source, &options, PATIENCE_MS, &attachment, NULL) != REMORA_OK) return 11;
  if (memcmp(remora_attachment_data(attachment), small_text, SMALL_BYTES) != 0) return 12;
  remora_attachment_close(attachment);
  remora_close(client);
  return tally_count(&first.calls) == 0 ? 0 : 13;
}

static void a_fork_leaves_the_download_to_the_parent(void) {
  char directory[64];
  temporary_directory(directory);
  opening_init(&first);
  open_attachments(directory);
  remora_request *request = start_stalled(&first);
  pid_t child = fork();
  if (child == 0) {
    alarm(PATIENCE_MS / 1000);
    _exit(child_opens_for_itself());
  }
  /* The child's attachment is small, and comes whole in spite of the stall. */
  check_child(child);
  loopback_flow(server);
  check_end(&first, REMORA_OK);
  remora_request_release(request);
  close_scene();
  remove_directory(directory);
}

static pid_t forked = -1;

static void fork_here(void) {
  if (forked == -1) forked = fork();
}

static void a_fork_inside_progress_ends_the_childs_wait(void) {
  open_all();
  first.during_progress = fork_here;
  loopback_stall(server, 150000);
  remora_attachment_options options = of_record("large");
  options.progress = opening_progress;
  options.progress_user_data = &first;
  remora_attachment *attachment = NULL;
  remora_request_release(start_opening("large", &second));
  REQUIRE(loopback_await_downloads(server, 1));
  remora_status status = remora_attachment_open(source, &options, 1000, &attachment, NULL);
  if (forked == 0) _exit(status == REMORA_ERR_CANCELLED ? 0 : 10);
  CHECK(status == REMORA_ERR_TIMEOUT);
  if (forked > 0) check_child(forked);
  loopback_flow(server);
  check_end(&second, REMORA_OK);
  close_scene();
}

static void a_hosts_loop_is_told(void) {
  opening_init(&first);
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  loopback_publish(server, 5000,
                   "[{\"id\":\"small\",\"last_modified\":5000,\"attachment\":{\"location\":\"s\",\"size\":17,\"hash\":"
                   "\"2852d7262f1fd6339a426560101d5840edf5b8999b90eb6b2eea86c8b9f7e298\"}}]",
                   0, NULL);
  loopback_attach(server, "s", small_text);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  dispatch();
  remora_request_release(start_opening("small", &first));
  REQUIRE(loopback_await_downloads(server, 1));
  while (tally_count(&first.calls) == 0) {
    REQUIRE(is_readable(descriptor(), PATIENCE_MS));
    dispatch();
  }
  check_end(&first, REMORA_OK);
  CHECK_INT(1, tally_count(&first.progress));
  close_host();
}

const check_test attachment_waits_tests[] = {
    {"the callback comes once, and what it retains outlives the client", the_callback_comes_once},
    {"failures are told with their error", failures_are_told},
    {"which attachment is meant is settled before the function returns", what_is_meant_is_settled_at_once},
    {"an opening needs neither callback nor handle", neither_callback_nor_handle_is_needed},
    {"two openings at once share a download", two_at_once_share_a_download},
    {"a cancel ends one opening, and the last one the download", cancel_ends_one_and_the_last_the_download},
    {"a close ends a download, and frees without calling", close_ends_a_download},
    {"the end of a handle ends its openings, and no other's download", the_end_of_a_handle_ends_its_openings},
    {"a callback may close its source and its client", a_callback_may_close},
    {"a progress callback may close the client", progress_may_close},
    {"a fork leaves a download to the parent", a_fork_leaves_the_download_to_the_parent},
    {"a fork inside a progress callback ends the child's wait", a_fork_inside_progress_ends_the_childs_wait},
    {"a host's loop is told progress and end", a_hosts_loop_is_told},
    {NULL, NULL},
};
