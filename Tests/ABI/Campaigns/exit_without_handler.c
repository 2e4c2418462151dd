/* SPDX-License-Identifier: Apache-2.0 */

/* The control of exit_in_flight: the same request by plain libcurl on a thread, and the
 * same return from main, with nobody to stop the thread. OpenSSL's exit handler then
 * takes its state away under the thread, which ends in a signal in a share of the runs.
 *
 * exit_without_handler SERVER_URL CA_FILE, driven as exit_in_flight is. */
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static size_t discard(char *bytes, size_t size, size_t count, void *user_data) {
  (void)bytes;
  (void)user_data;
  return size * count;
}

static void *transfer(void *arguments) {
  char **argv = arguments;
  char url[256];
  snprintf(url, sizeof url, "%s/v2/buckets/main/collections/endless/changeset?_expected=0", argv[1]);
  CURL *curl = curl_easy_init();
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_CAINFO, argv[2]);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, discard);
  curl_easy_perform(curl);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t thread;
  char byte;
  if (argc != 3 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return 2;
  if (pthread_create(&thread, NULL, transfer, argv) != 0) return 2;
  return read(STDIN_FILENO, &byte, 1) == 1 ? 0 : 3;
}
