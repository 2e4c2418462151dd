/* SPDX-License-Identifier: Apache-2.0 */

/* Files: an image and a ledger of the storage directory, and what an installer downloaded. A forged image has a right
 * checksum, so that the checks behind it are reached. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "fuzz.h"

enum { PATH_BYTES = 512, MOST_BYTES = 8192, SLOT_BYTES = 512 };

/* A file as it was prepared. */
struct stored_file {
  char path[PATH_BYTES];
  char bytes[MOST_BYTES];
  size_t length;
};

static remora_error error;
static remora_settings_options settings;
static remora_config config;
static char directory[PATH_BYTES];
static struct stored_file image, ledger;

static void write_file(const char *path, const void *bytes, size_t length) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(file >= 0 && write(file, bytes, length) == (ssize_t)length);
  close(file);
}

static void open_and_read(void) {
  remora_client *own = NULL;
  remora_source_options options = without_fetch();
  remora_source *source = NULL;
  REQUIRE(succeeded(remora_setup(&config, &own, &error), &error));
  if (succeeded(remora_open_settings(own, &settings, &options, &source, &error), &error)) read_and_close(source, 0);
  remora_client_close(own);
}

static void load(struct stored_file *file, const char *name) {
  snprintf(file->path, sizeof file->path, "%.255s/%.255s", directory, name);
  int descriptor = open(file->path, O_RDONLY);
  REQUIRE(descriptor >= 0);
  ssize_t count = read(descriptor, file->bytes, sizeof file->bytes);
  close(descriptor);
  REQUIRE(count > 0 && count < MOST_BYTES);
  file->length = (size_t)count;
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void load_files(void) {
  DIR *list = opendir(directory);
  REQUIRE(list != NULL);
  for (struct dirent *one; (one = readdir(list));) {
    if (ends_with(one->d_name, ".live")) load(&image, one->d_name);
    if (ends_with(one->d_name, ".ledger")) load(&ledger, one->d_name);
  }
  closedir(list);
  REQUIRE(image.length && ledger.length);
}

/* Removes the directory at the end of the process. */
static void remove_directory(void) {
  DIR *list = opendir(directory);
  if (!list) return;
  for (struct dirent *one; (one = readdir(list));) unlinkat(dirfd(list), one->d_name, 0);
  closedir(list);
  rmdir(directory);
}

/* Makes a directory with an image and a ledger, by the seed of an installer. */
static void prepare(void) {
  static const char document[] =
      "{\"a\":{\"x\":[1,2.5,\"text\",null,true]},\"b\":\"\\u00e9\",\"c\":-9223372036854775808}";
  char path[PATH_BYTES];
  remora_seed_options seed;
  if (directory[0]) return;
  snprintf(directory, sizeof directory, "%s/remora-fuzz-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  REQUIRE(mkdtemp(directory) != NULL);
  REMORA_INIT(&config);
  config.storage_dir = directory;
  REMORA_INIT(&settings);
  settings.url = "http://127.0.0.1:9/settings";
  REMORA_INIT(&seed);
  seed.settings = &settings;
  snprintf(path, sizeof path, "%.400s.json", directory);
  write_file(path, document, sizeof document - 1);
  REQUIRE(succeeded(remora_seed_save(&config, &seed, path, &error), &error));
  unlink(path);
  open_and_read();
  load_files();
  atexit(remove_directory);
}

/* A file of the directory as it was prepared, with other bytes at some places: each three bytes of the input are a
 * position and what is there. */
static void patch(const struct stored_file *file, char *copy, const char *bytes, size_t length) {
  memcpy(copy, file->bytes, file->length);
  for (size_t i = 0; i + 2 < length; i += 3) {
    size_t position = (unsigned char)bytes[i] << 8 | (unsigned char)bytes[i + 1];
    copy[position % file->length] = bytes[i + 2];
  }
}

static void seal(char *bytes, size_t checksum_at, size_t from, size_t to) {
  uint64_t checksum = XXH3_64bits(bytes + from, to - from);
  memcpy(bytes + checksum_at, &checksum, sizeof checksum);
}

void feed_image(const char *bytes, size_t length) {
  char forged[MOST_BYTES];
  prepare();
  patch(&image, forged, bytes, length);
  seal(forged, 24, 32, image.length);
  write_file(image.path, forged, image.length);
  write_file(ledger.path, ledger.bytes, ledger.length);
  open_and_read();
}

void feed_ledger(const char *bytes, size_t length) {
  char forged[MOST_BYTES];
  prepare();
  patch(&ledger, forged, bytes, length);
  for (size_t slot = 0; slot + SLOT_BYTES <= ledger.length; slot += SLOT_BYTES)
    seal(forged + slot, SLOT_BYTES - 8, 0, SLOT_BYTES - 8);
  write_file(ledger.path, forged, ledger.length);
  write_file(image.path, image.bytes, image.length);
  open_and_read();
}

/* What an installer downloaded of a collection, with its signatures and chains, under the root REMORA_FUZZ_ROOT. */
void feed_chain(const char *bytes, size_t length) {
  remora_collection_options collection;
  remora_seed_options seed;
  char path[PATH_BYTES];
  prepare();
  REMORA_INIT(&collection);
  collection.name = "fuzz";
  collection.root_sha256 = getenv("REMORA_FUZZ_ROOT");
  REMORA_INIT(&seed);
  seed.collection = &collection;
  remora_config of_server = config;
  of_server.server = "http://127.0.0.1:9/v1";
  snprintf(path, sizeof path, "%.400s.json", directory);
  write_file(path, bytes, length);
  succeeded(remora_seed_save(&of_server, &seed, path, &error), &error);
}
