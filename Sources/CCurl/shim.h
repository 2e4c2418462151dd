/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's types and constants, and its functions through the table of CSupport, which must be loaded.
   Wrappers instead of the real names, so that nothing links libcurl; typed, as Swift calls no variadics.
   Likewise zlib's three functions. */
#ifndef REMORA_CCURL_SHIM_H
#define REMORA_CCURL_SHIM_H

#include <stdbool.h>

#include "constants.h"
#include "remora_libcurl.h"

/* Whether the other functions may be called. */
static inline bool rcurl_is_loaded(void) { return remora_libcurl_table.easy_init; }

static inline bool rcurl_may_reuse_handles(void) { return remora_libcurl_table.may_reuse_handles; }

static inline CURL *rcurl_easy_init(void) { return remora_libcurl_table.easy_init(); }

static inline void rcurl_easy_cleanup(CURL *easy) { remora_libcurl_table.easy_cleanup(easy); }

static inline const char *rcurl_easy_strerror(CURLcode code) { return remora_libcurl_table.easy_strerror(code); }

static inline CURLcode rcurl_set_long(CURL *easy, CURLoption option, long value) {
  return remora_libcurl_table.easy_setopt(easy, option, value);
}

/* libcurl copies the text. */
static inline CURLcode rcurl_set_text(CURL *easy, CURLoption option, const char *text) {
  return remora_libcurl_table.easy_setopt(easy, option, text);
}

static inline CURLU *rcurl_url(void) { return remora_libcurl_table.url(); }

/* libcurl copies the text. */
static inline CURLUcode rcurl_url_set(CURLU *url, const char *text) {
  return remora_libcurl_table.url_set(url, CURLUPART_URL, text, 0);
}

static inline void rcurl_url_cleanup(CURLU *url) { remora_libcurl_table.url_cleanup(url); }

/* The URL, read before; it stays the caller's until the handle is cleaned up. */
static inline CURLcode rcurl_set_url(CURL *easy, CURLU *url) {
  return remora_libcurl_table.easy_setopt(easy, CURLOPT_CURLU, url);
}

/* The list stays the caller's until the handle is cleaned up. */
static inline CURLcode rcurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
  return remora_libcurl_table.easy_setopt(easy, option, list);
}

/* At least CURL_ERROR_SIZE bytes, which live as long as the handle. */
static inline CURLcode rcurl_set_error_buffer(CURL *easy, char *buffer) {
  return remora_libcurl_table.easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

/* For CURLOPT_WRITEFUNCTION with CURLOPT_WRITEDATA, and CURLOPT_HEADERFUNCTION with CURLOPT_HEADERDATA. */
static inline CURLcode rcurl_set_receiver(CURL *easy, CURLoption function, curl_write_callback callback,
                                          CURLoption data, void *context) {
  CURLcode code = remora_libcurl_table.easy_setopt(easy, function, callback);
  return code != CURLE_OK ? code : remora_libcurl_table.easy_setopt(easy, data, context);
}

/* The context of the first function must live as long as the handle, and that of the second one as long as every
   connection that the handle makes, so as the multi handle. */
static inline CURLcode rcurl_set_sockets(CURL *easy, curl_opensocket_callback open_socket, void *open_context,
                                         curl_closesocket_callback close_socket, void *close_context) {
  CURLcode code = remora_libcurl_table.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  if (code == CURLE_OK) code = remora_libcurl_table.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, open_context);
  if (code == CURLE_OK) code = remora_libcurl_table.easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  if (code == CURLE_OK) code = remora_libcurl_table.easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, close_context);
  return code;
}

static inline long rcurl_response_code(CURL *easy) {
  long status = 0;
  return remora_libcurl_table.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

/* The status with which a proxy last answered a CONNECT; 0 if none did. */
static inline long rcurl_proxy_code(CURL *easy) {
  long status = 0;
  return remora_libcurl_table.easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0;
}

/* A list with the text appended, or NULL; the old list is then still the caller's. */
static inline struct curl_slist *rcurl_slist_append(struct curl_slist *list, const char *text) {
  return remora_libcurl_table.slist_append(list, text);
}

static inline void rcurl_slist_free_all(struct curl_slist *list) { remora_libcurl_table.slist_free_all(list); }

static inline CURLM *rcurl_multi_init(void) { return remora_libcurl_table.multi_init(); }

static inline CURLMcode rcurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return remora_libcurl_table.multi_setopt(multi, option, value);
}

static inline CURLMcode rcurl_multi_add_handle(CURLM *multi, CURL *easy) {
  return remora_libcurl_table.multi_add_handle(multi, easy);
}

static inline CURLMcode rcurl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return remora_libcurl_table.multi_remove_handle(multi, easy);
}

static inline CURLMcode rcurl_multi_perform(CURLM *multi) {
  int running;
  return remora_libcurl_table.multi_perform(multi, &running);
}

static inline CURLMcode rcurl_multi_poll(CURLM *multi, int timeout_ms) {
  return remora_libcurl_table.multi_poll(multi, NULL, 0, timeout_ms, NULL);
}

/* From any thread, while the multi handle lives. */
static inline CURLMcode rcurl_multi_wakeup(CURLM *multi) { return remora_libcurl_table.multi_wakeup(multi); }

/* The next transfer that ended, or NULL. */
static inline CURL *rcurl_multi_next_done(CURLM *multi, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = remora_libcurl_table.multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

static inline CURLMcode rcurl_multi_cleanup(CURLM *multi) { return remora_libcurl_table.multi_cleanup(multi); }

static inline const char *rcurl_multi_strerror(CURLMcode code) { return remora_libcurl_table.multi_strerror(code); }

/* Whether libcurl brought zlib along. */
static inline int rcurl_can_inflate(void) { return remora_libcurl_table.inflate_init != NULL; }

/* Begins to decode one gzip member; the stream must not move until rcurl_inflate_end. */
static inline int rcurl_inflate_begin(z_stream *stream) {
  *stream = (z_stream){0};
  return remora_libcurl_table.inflate_init(stream, 16 + MAX_WBITS, ZLIB_VERSION, (int)sizeof *stream);
}

static inline int rcurl_inflate(z_stream *stream) { return remora_libcurl_table.inflate(stream, Z_NO_FLUSH); }

static inline void rcurl_inflate_end(z_stream *stream) { remora_libcurl_table.inflate_end(stream); }

#endif
