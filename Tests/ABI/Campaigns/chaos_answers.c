/* SPDX-License-Identifier: Apache-2.0 */

/* The transport of the chaos host: it answers inside the call, later from another thread, or never. */
#include <stdio.h>
#include <string.h>

#include "chaos_host.h"

enum { POSTED = 16, ANSWER_BYTES = 512 };

/* The requests that wait for an answer; 0 is none. Atomic. */
static int64_t waiting[POSTED];

/* The documents that a client asks for. */
enum { IS_OTHER, IS_COLLECTION, IS_BUNDLE, IS_SETTINGS, KINDS };

static int64_t version = 1000; /* Atomic. */

static int kind_of(const char *url) {
  if (strstr(url, "/changeset")) return IS_COLLECTION;
  if (strstr(url, "bundle")) return IS_BUNDLE;
  return strstr(url, "settings.json") ? IS_SETTINGS : IS_OTHER;
}

static void write_document(int kind, char *text) {
  static const char *const formats[] = {
      [IS_OTHER] = "{\"capabilities\":{\"attachments\":{\"base_url\":\"http://127.0.0.1:1/\"}},\"n\":%lld}",
      [IS_COLLECTION] =
          "{\"metadata\":{\"bucket\":\"main\",\"id\":\"sample\"},\"timestamp\":%lld,\"changes\":["
          "{\"id\":\"a\",\"last_modified\":%lld,\"n\":1}]}",
      [IS_BUNDLE] =
          "{\"$schema\":\"https://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/"
          "jsonschema/1-0-1\",\"configurationVersion\":%lld,\"configurationBundle\":["
          "{\"namespace\":\"a\",\"networkConfiguration\":{\"endpoint\":\"https://e.example\"}}]}",
      [IS_SETTINGS] = "{\"a\":{\"n\":%lld},\"experiments\":{}}",
  };
  long long now = __atomic_add_fetch(&version, 1, __ATOMIC_SEQ_CST);
  snprintf(text, ANSWER_BYTES, formats[kind], now, now);
}

static void answer(int64_t id, int kind) {
  static const char *const slow_down[] = {"Retry-After: 1", NULL};
  char text[ANSWER_BYTES];
  remora_http_response response;
  REMORA_INIT(&response);
  write_document(kind, text);
  response.http_status = 200;
  response.body = text;
  response.body_size = strlen(text);
  switch (draw(12)) {
    case 0: response.http_status = 503, response.headers = slow_down; break;
    case 1: response.body_size /= 2; break;
    case 2: response.failure = REMORA_ERR_NETWORK, response.http_status = 0; break;
    case 3: response.http_status = 304; break;
    default: break;
  }
  remora_respond(id, &response, NULL);
}

static void send_request(const remora_http_request *request, void *data) {
  (void)data;
  if (draw(2))
    answer(request->id, kind_of(request->url));
  else
    __atomic_store_n(&waiting[draw(POSTED)], request->id, __ATOMIC_SEQ_CST);
}

static void cancel_request(int64_t id, void *data) {
  (void)id;
  (void)data;
}

remora_transport chaos_transport(void) {
  remora_transport transport;
  REMORA_INIT(&transport);
  transport.send = send_request;
  transport.cancel = cancel_request;
  transport.user_data = data_new(DATA_TRANSPORT);
  transport.free_user_data = data_free;
  return transport;
}

void answer_later(void) {
  int64_t id = __atomic_exchange_n(&waiting[draw(POSTED)], 0, __ATOMIC_SEQ_CST);
  if (id) answer(id, (int)draw(KINDS));
}
