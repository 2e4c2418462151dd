/* SPDX-License-Identifier: Apache-2.0 */

/* An installer. A package runs it after its installation, so that the application has settings at its first launch:
 *
 *   seed settings|bundle URL STORAGE_DIR [FILE]
 *
 * Gets the request from Remora, downloads the document with libcurl, and saves it where the application finds it. With
 * FILE, it saves that file instead. Exits with 0 if the seed was saved. After a failure the application starts with its
 * defaults, or with the data that is already stored. */
#include <curl/curl.h>
#include <remora.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* These options must equal those with which the application opens the source: url, request_params, tag … */
static remora_config config;
static remora_settings_options settings;
static remora_bundle_options bundle;
static remora_seed_options options;

/* The file of a download, and whether the download succeeded. */
typedef struct download_state {
  FILE *file;
  int is_done;
} download_state;

/* Sends the request for the seed, and writes the response to the file. Any HTTP client can do this; the example uses
 * libcurl. */
static void download(const remora_http_request *request, void *user_data) {
  download_state *state = user_data;
  struct curl_slist *list = NULL;
  char problem[CURL_ERROR_SIZE] = "";
  CURL *curl = curl_easy_init();
  for (const char *const *header = request->headers; *header; header++) list = curl_slist_append(list, *header);
  curl_easy_setopt(curl, CURLOPT_URL, request->url);
  if (strcmp(request->method, "POST") == 0) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, state->file);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
  const CURLcode result = curl_easy_perform(curl);
  if (result != CURLE_OK) fprintf(stderr, "%s\n", problem[0] ? problem : curl_easy_strerror(result));
  curl_slist_free_all(list);
  curl_easy_cleanup(curl);
  state->is_done = result == CURLE_OK;
}

static int save(const char *file) {
  remora_error error;
  if (remora_seed_save(&config, &options, file, &error) == REMORA_OK) return 1;
  fprintf(stderr, "%s: %s\n", remora_status_name(error.status), error.message);
  return 0;
}

/* Downloads into a temporary file and removes it afterwards. Remora only reads the file. */
static int download_and_save(void) {
  char path[] = "/tmp/seed-XXXXXX";
  remora_error error;
  download_state state = {NULL, 0};
  const int descriptor = mkstemp(path);
  if (descriptor >= 0) state.file = fdopen(descriptor, "wb");
  if (!state.file)
    perror(path);
  else if (remora_seed_request(&config, &options, download, &state, &error) != REMORA_OK)
    fprintf(stderr, "%s\n", error.message);
  if (state.file && fclose(state.file) != 0) state.is_done = 0;
  const int is_saved = state.is_done && save(path);
  if (descriptor >= 0) unlink(path);
  return is_saved;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5 || (strcmp(argv[1], "settings") != 0 && strcmp(argv[1], "bundle") != 0)) {
    fprintf(stderr, "usage: %s settings|bundle URL STORAGE_DIR [FILE]\n", argv[0]);
    return 2;
  }
  REMORA_INIT(&config);
  config.storage_dir = argv[3];
  config.application_name = "example";
  config.application_version = "1.0";
  config.application_build = "42";
  REMORA_INIT(&options);
  options.identifier = "post-install";
  if (strcmp(argv[1], "settings") == 0) {
    REMORA_INIT(&settings);
    settings.url = argv[2];
    options.settings = &settings;
  } else {
    REMORA_INIT(&bundle);
    bundle.url = argv[2];
    options.bundle = &bundle;
  }
  if (!(argc == 5 ? save(argv[4]) : download_and_save())) return 1;
  printf("%s has a seed\n", argv[3]);
  return 0;
}
