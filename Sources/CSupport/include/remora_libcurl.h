/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl, loaded at the first request: linking it would cost every host milliseconds at its start.
   The table is filled once and constant after that. Read through the wrappers of CCurl only. */
#ifndef REMORA_LIBCURL_H
#define REMORA_LIBCURL_H

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <zlib.h>

#pragma GCC visibility push(hidden) /* A library that contains these functions does not export them. */

/* The functions of libcurl that Remora calls, by libcurl's names without the prefix. */
struct remora_libcurl {
  CURLcode (*global_init)(long flags);
  curl_version_info_data *(*version_info)(CURLversion age);
  CURL *(*easy_init)(void);
  CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
  CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
  void (*easy_cleanup)(CURL *easy);
  const char *(*easy_strerror)(CURLcode code);
  CURLU *(*url)(void);
  CURLUcode (*url_set)(CURLU *url, CURLUPart part, const char *text, unsigned flags);
  void (*url_cleanup)(CURLU *url);
  struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
  void (*slist_free_all)(struct curl_slist *list);
  CURLM *(*multi_init)(void);
  CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
  CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_perform)(CURLM *multi, int *running);
  CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd fds[], unsigned count, int timeout_ms, int *ready);
  CURLMcode (*multi_wakeup)(CURLM *multi);
  CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
  CURLMcode (*multi_cleanup)(CURLM *multi);
  const char *(*multi_strerror)(CURLMcode code);
  /* zlib, as libcurl brings it along; NULL when it does not. */
  int (*inflate_init)(z_stream *stream, int window_bits, const char *version, int stream_size);
  int (*inflate)(z_stream *stream, int flush);
  int (*inflate_end)(z_stream *stream);
  /* Whether a handle may be used for another transfer. */
  int may_reuse_handles;
};

extern struct remora_libcurl remora_libcurl_table;

/* Loads and initialises libcurl. NULL is success, else a sentence that stays valid.
   Idempotent; a failure is tried anew by the next call. The caller holds the engine lock, which a fork takes too. */
const char *remora_libcurl_load(void);

/* Finds the descriptors by which the multi handle is woken, and keeps them from exec'd programs. Returns how many there
   are: two sockets, an eventfd, or 0 if they were not found. The handle is not in use by another thread. */
int remora_libcurl_seal_wakeup(CURLM *multi, int descriptors[2]);

#pragma GCC visibility pop

#endif
