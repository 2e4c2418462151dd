/* SPDX-License-Identifier: Apache-2.0 */

#include "loopback_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a request asks for. */
typedef struct query {
  char bucket[129];
  char collection[129];
  int64_t since; /* -1: the whole. */
} query;

static int parse(const char *head, query *asked) {
  asked->since = -1;
  if (sscanf(head, "GET /v2/buckets/%128[^/]/collections/%128[^/]/changeset", asked->bucket, asked->collection) != 2)
    return 0;
  const char *end = strchr(head, '\r');
  const char *since = strstr(head, "_since=");
  if (since && since < end) asked->since = strtoll(since + strlen("_since="), NULL, 10);
  return 1;
}

static char *answer_with(int status, const char *header, const char *body) {
  const char *form =
      "HTTP/1.1 %d Scripted\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
      "Connection: close\r\n%s%s\r\n%s";
  const char *line_end = header ? "\r\n" : "";
  if (!header) header = "";
  int length = snprintf(NULL, 0, form, status, strlen(body), header, line_end, body);
  char *text = malloc((size_t)length + 1);
  if (text) snprintf(text, (size_t)length + 1, form, status, strlen(body), header, line_end, body);
  return text;
}

static char *answer_from_collection(const loopback_script *script, const query *asked) {
  char redirect[512];
  const char *changes = script->records;
  if (asked->since == script->timestamp) {
    changes = "[]";
  } else if (asked->since >= 0 && script->diff && asked->since == script->since) {
    changes = script->diff;
  } else if (asked->since >= 0) {
    snprintf(redirect, sizeof redirect, "Location: %s/v2/buckets/%s/collections/%s/changeset?_expected=0", script->url,
             asked->bucket, asked->collection);
    return answer_with(307, redirect, "");
  }
  const char *form = "{\"metadata\":{\"bucket\":\"%s\",\"id\":\"%s\"},\"timestamp\":%lld,\"changes\":%s}";
  int length = snprintf(NULL, 0, form, asked->bucket, asked->collection, (long long)script->timestamp, changes);
  char *body = malloc((size_t)length + 1);
  if (!body) return NULL;
  snprintf(body, (size_t)length + 1, form, asked->bucket, asked->collection, (long long)script->timestamp, changes);
  char *text = answer_with(200, NULL, body);
  free(body);
  return text;
}

static char *answer_with_base(const loopback_script *script) {
  char body[160];
  snprintf(body, sizeof body, "{\"capabilities\":{\"attachments\":{\"base_url\":\"%s/v2/attachments\"}}}", script->url);
  return answer_with(200, NULL, body);
}

const char *loopback_attachment(const loopback_script *script, const char *head) {
  const char *prefix = "GET /v2/attachments/";
  if (strncmp(head, prefix, strlen(prefix)) != 0) return NULL;
  for (size_t i = 0; i < LOOPBACK_ATTACHMENTS && script->attachments[i].location; i++) {
    size_t length = strlen(script->attachments[i].location);
    const char *location = head + strlen(prefix);
    if (strncmp(location, script->attachments[i].location, length) == 0 && location[length] == ' ')
      return script->attachments[i].text;
  }
  return NULL;
}

static char *answer_with_attachment(const char *text, const char *head) {
  char range[96];
  const char *asked = strstr(head, "Range: bytes=");
  size_t size = strlen(text);
  size_t first = asked ? (size_t)strtoull(asked + strlen("Range: bytes="), NULL, 10) : 0;
  if (!asked) return answer_with(200, NULL, text);
  if (first >= size) return answer_with(416, NULL, "");
  snprintf(range, sizeof range, "Content-Range: bytes %zu-%zu/%zu", first, size - 1, size);
  return answer_with(206, range, text + first);
}

char *loopback_answer(const loopback_script *script, const char *head) {
  query asked;
  if (script->status) return answer_with(script->status, script->header, "{}");
  if (script->body) return answer_with(200, NULL, script->body);
  const char *text = loopback_attachment(script, head);
  if (text) return answer_with_attachment(text, head);
  if (script->attachments[0].location && strncmp(head, "GET /v2/ ", 9) == 0) return answer_with_base(script);
  return parse(head, &asked) ? answer_from_collection(script, &asked) : answer_with(404, NULL, "{}");
}
