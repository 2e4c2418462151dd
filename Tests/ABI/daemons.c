/* SPDX-License-Identifier: Apache-2.0 */

/* Hosts that close all descriptors, as a daemon does, and open other files: these get the numbers of the library's. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host_loop.h"
#include "override_scene.h"

enum { most = 1024, taken = 64 };

/* Closes everything, and lets one file or directory have the numbers. */
static void become_daemon(const char *decoy, int flags) {
  for (int i = 3; i < most; i++) close(i);
  for (int i = 0; i < taken; i++) {
    if (open(decoy, flags) < 0) _exit(70);
  }
}

/* How many names of a directory end with a text. */
static int count_names(const char *path, const char *ending) {
  DIR *directory = opendir(path);
  struct dirent *entry;
  int count = 0;
  if (!directory) return -1;
  while ((entry = readdir(directory))) {
    size_t length = strlen(entry->d_name), wanted = strlen(ending);
    if (entry->d_name[0] != '.' && length >= wanted && strcmp(entry->d_name + length - wanted, ending) == 0) count++;
  }
  closedir(directory);
  return count;
}

static void open_stored(const char *directory) {
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source_options options;
  REMORA_INIT(&options);
  options.persist_overrides = 1;
  client = client_in_directory(directory, loopback_url(server));
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
}

/* In the daemon: 0 if its data is stored in its own directory. */
static int stores_its_data(const char *directory, const char *decoy) {
  remora_source_info info = {.struct_size = sizeof info};
  if (remora_override_set(source, "b", "", "1", 0, NULL) != REMORA_OK) return 10;
  if (count_names(directory, ".overrides") != 1) return 11;
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) return 12;
  if (count_names(directory, ".live") != 1 || count_names(directory, ".previous") != 1) return 13;
  if (remora_source_get_info(source, &info, NULL) != REMORA_OK) return 14;
  if (info.storage_error.status != REMORA_OK) return 15;
  if (remora_reset(source, NULL) != REMORA_OK) return 16;
  remora_source_close(source);
  remora_client_close(client);
  if (count_names(decoy, "") != 0) return 17;
  /* No number of the host's files was closed. */
  for (int i = 3; i < 3 + taken; i++) {
    if (fcntl(i, F_GETFD) < 0) return 18;
  }
  return 0;
}

TEST("a forked daemon that closes all descriptors stores its data in its own directory, and in no other") {
  char directory[64], decoy[64];
  temporary_directory(directory);
  temporary_directory(decoy);
  CHECK_INT(0, chmod(decoy, 01777));
  server = loopback_start();
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  open_stored(directory);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_publish(server, 3000, "[{\"id\":\"a\",\"last_modified\":3000,\"n\":6}]", 0, NULL);
  pid_t child = fork();
  if (child == 0) {
    become_daemon(decoy, O_RDONLY | O_DIRECTORY);
    _exit(stores_its_data(directory, decoy));
  }
  check_child(child);
  close_scene();
  remove_directory(directory);
  remove_directory(decoy);
}

/* Ends the process: it has requests, threads and a descriptor already when it closes all of them. */
static void close_all_and_go_on(const char *directory, const char *decoy) {
  int32_t fd = -1;
  size_t count = 0;
  struct stat status;
  client = client_on_dispatch(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, NULL, NULL, &error));
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) _exit(20);
  if (remora_client_get_fd(client, &fd, NULL) != REMORA_OK) _exit(21);
  become_daemon(decoy, O_RDWR);
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) _exit(22);
  if (remora_client_get_fd(client, &fd, NULL) != REMORA_OK) _exit(23);
  if (!is_readable(fd, PATIENCE_MS)) _exit(24);
  if (remora_dispatch(client, &count, NULL) != REMORA_OK || count == 0) _exit(25);
  if (is_readable(fd, 0)) _exit(26);
  remora_client_close(client);
  if (stat(decoy, &status) != 0 || status.st_size != 0) _exit(27);
  if (count_names(directory, ".live") != 1) _exit(28);
  for (int i = 3; i < 3 + taken; i++) {
    if (fcntl(i, F_GETFD) < 0) _exit(29);
  }
  _exit(0);
}

TEST("a program that closes all descriptors after a request sends the next request, and writes to no other file") {
  char directory[64], other[64], decoy[96];
  temporary_directory(directory);
  temporary_directory(other);
  snprintf(decoy, sizeof decoy, "%s/file", other);
  close(open(decoy, O_CREAT | O_WRONLY, 0600));
  recorder_init(&events);
  server = loopback_start();
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  for (int i = 0; i < 5; i++) {
    pid_t child = fork();
    if (child == 0) close_all_and_go_on(directory, decoy);
    check_child(child);
  }
  loopback_stop(server);
  remove_directory(directory);
  remove_directory(other);
}
