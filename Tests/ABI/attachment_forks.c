/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": a fork during a download. */
#include <unistd.h>

#include "attachment_scene.h"

/* In the child: the download stays with the parent, and the child starts its own. */
static int child_opens_for_itself(void) {
  remora_attachment *attachment = NULL;
  if (remora_attachment_open(source, "large", NULL, 0, &attachment, NULL) != REMORA_ERR_TIMEOUT) return 10;
  if (remora_attachment_open(source, "small", NULL, PATIENCE_MS, &attachment, NULL) != REMORA_OK) return 11;
  if (memcmp(remora_attachment_data(attachment), small_text, SMALL_BYTES) != 0) return 12;
  remora_attachment_release(attachment);
  remora_client_close(client);
  return tally_count(&first_opening.calls) == 0 ? 0 : 13;
}

TEST("after a fork, a running download continues in the parent only") {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_request *request = start_stalled(&first_opening);
  pid_t child = fork();
  if (child == 0) {
    alarm(PATIENCE_MS / 1000);
    _exit(child_opens_for_itself());
  }
  /* The child's attachment is smaller than the stall, and arrives whole. */
  check_child(child);
  loopback_flow(server);
  check_end(&first_opening, REMORA_OK);
  remora_request_release(request);
  close_scene();
  remove_directory(directory);
}

static pid_t forked = -1;

static void fork_here(void) {
  if (forked == -1) forked = fork();
}

TEST("after a fork inside a progress callback, the download ends with CANCELLED in the child") {
  open_attachments(NULL);
  first_opening.during_progress = fork_here;
  loopback_stall(server, 150000);
  remora_attachment_options options = progress_to(&first_opening);
  remora_attachment *attachment = NULL;
  remora_request_release(start_opening("large", &second_opening));
  REQUIRE(loopback_await_downloads(server, 1));
  remora_status status = remora_attachment_open(source, "large", &options, 1000, &attachment, NULL);
  if (forked == 0) _exit(status == REMORA_ERR_CANCELLED ? 0 : 10);
  CHECK(status == REMORA_ERR_TIMEOUT);
  if (forked > 0) check_child(forked);
  loopback_flow(server);
  check_end(&second_opening, REMORA_OK);
  close_scene();
}

TEST("a progress callback can wait until another thread has forked") {
  open_attachments(NULL);
  first_opening.during_progress = fork_on_another_thread;
  remora_attachment_options options = progress_to(&first_opening);
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "large", &options, PATIENCE_MS, &attachment, &error));
  CHECK(tally_count(&first_opening.progress) >= 1);
  remora_attachment_release(attachment);
  close_scene();
}
