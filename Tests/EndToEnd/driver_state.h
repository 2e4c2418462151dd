/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver holds between commands: one client, the source that commands are for,
 * those that were opened before it, one kept snapshot, and the lines that callbacks left.
 * Included by driver.c only. */
#ifndef DRIVER_STATE_H
#define DRIVER_STATE_H

#include "driver_queue.h"
#include "remora.h"

static remora_client *client;
static remora_source *source;
static remora_source *others[16];
static size_t other_count;
static remora_subscription *subscription;
static remora_request *request;
static remora_snapshot *held;
static struct queue events;
static struct queue completions;
static struct queue log_lines;

/* A refresh, or an await, that blocks a thread of its own. */
static struct {
  pthread_t thread;
  int is_await;
  remora_snapshot *snapshot;
  int64_t timeout_ms;
  remora_status status;
  int32_t outcome;
  remora_error error;
} background;

#endif
