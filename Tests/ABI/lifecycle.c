/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "lifecycle": what setup and close do. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "threads.h"

TEST("setup, opening a collection and reading start no thread and send no request") {
  loopback *server = loopback_start();
  int before = thread_count();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *source = open_untrusted(client, "sample", sample_data);
  CHECK_INT(7, remora_get_int(source, "limits", "/int", 0));
  CHECK_INT(before, thread_count());
  CHECK_INT(0, loopback_requests(server));
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("a missing storage directory and its parents are created, and only the owner can access them") {
  char top[64], path[96];
  struct stat facts;
  temporary_directory(top);
  snprintf(path, sizeof path, "%s/not/yet/there", top);
  remora_client *client = client_in_directory(path, NO_SERVER);
  REQUIRE(stat(path, &facts) == 0);
  CHECK(S_ISDIR(facts.st_mode));
  CHECK_INT(0700, facts.st_mode & 0777);
  remora_client_close(client);
  remove_directory(top);
}

static void unwritable_directory_means_memory(const char *path) {
  loopback *server = loopback_start();
  remora_client *client = client_in_directory(path, loopback_url(server));
  remora_source *source = open_untrusted(client, "sample", NULL);
  remora_source_info info = {.struct_size = sizeof info};
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(5, remora_get_int(source, "a", "/n", 0));
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK(info.storage_error.status == REMORA_ERR_STORAGE || info.storage_error.status == REMORA_ERR_PERMISSION);
  CHECK(info.storage_error.message[0] != '\0');
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("if the storage directory cannot be created, memory is used, and an error is reported") {
  unwritable_directory_means_memory("/proc/remora/storage");
}

TEST("a storage directory that all users can write is not used, and settings stay in memory") {
  char top[64];
  struct stat facts;
  temporary_directory(top);
  REQUIRE(chmod(top, 0777) == 0);
  unwritable_directory_means_memory(top);
  REQUIRE(stat(top, &facts) == 0);
  CHECK_INT(0777, facts.st_mode & 07777);
  remove_directory(top);
}

TEST("a storage directory that kubelet has made writable for its fsGroup gets its mode back") {
  char top[64], path[96];
  struct stat facts;
  temporary_directory(top);
  snprintf(path, sizeof path, "%s/lock", top);
  int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  REQUIRE(file >= 0 && fchmod(file, 0660) == 0 && close(file) == 0);
  REQUIRE(chmod(top, 02770) == 0);
  remora_client *client = client_in_directory(top, NO_SERVER);
  remora_source *source = open_untrusted(client, "sample", NULL);
  remora_source_info info = {.struct_size = sizeof info};
  REQUIRE_OK(remora_reset(source, &error));
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  CHECK_INT(REMORA_OK, info.storage_error.status);
  REQUIRE(stat(top, &facts) == 0);
  CHECK_INT(0700, facts.st_mode & 07777);
  REQUIRE(stat(path, &facts) == 0);
  CHECK_INT(0600, facts.st_mode & 07777);
  remora_source_close(source);
  remora_client_close(client);
  remove_directory(top);
}

TEST("if the storage directory is not writable, memory is used, and an error is reported") {
  char path[64];
  if (geteuid() == 0) check_skip("root can write everywhere");
  temporary_directory(path);
  chmod(path, 0500);
  unwritable_directory_means_memory(path);
  chmod(path, 0700);
  remove_directory(path);
}

TEST("data that an earlier client fetched can be read when the source is opened, without a request") {
  char path[64];
  loopback *server = loopback_start();
  remora_source_info before = {.struct_size = sizeof before}, info = {.struct_size = sizeof info};
  temporary_directory(path);
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  remora_client *first = client_in_directory(path, loopback_url(server));
  remora_source *source = open_untrusted(first, "sample", NULL);
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &before, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_source_close(source);
  remora_client_close(first);

  remora_client *second = client_in_directory(path, loopback_url(server));
  source = open_untrusted(second, "sample", sample_data);
  CHECK_INT(5, remora_get_int(source, "a", "/n", 0));
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK_INT(REMORA_ORIGIN_CACHED, info.origin);
  CHECK_INT(2000, info.version);
  CHECK(info.fetched_at_ms > 0);
  CHECK(info.generation > before.generation);
  CHECK_INT(1, loopback_requests(server));
  remora_source_close(source);
  remora_client_close(second);
  remove_directory(path);
  loopback_stop(server);
}

TEST("two clients of one process are independent") {
  loopback *one = loopback_start(), *two = loopback_start();
  loopback_publish(one, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":1}]", 0, NULL);
  loopback_publish(two, 3000, "[{\"id\":\"a\",\"last_modified\":3000,\"n\":2}]", 0, NULL);
  remora_client *first = client_in_memory(loopback_url(one)), *second = client_in_memory(loopback_url(two));
  remora_source *left = open_untrusted(first, "sample", NULL), *right = open_untrusted(second, "sample", NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, left);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, right);
  CHECK_INT(1, remora_get_int(left, "a", "/n", 0));
  remora_source_close(left);
  remora_client_close(first);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, right);
  CHECK_INT(2, remora_get_int(right, "a", "/n", 0));
  remora_source_close(right);
  remora_client_close(second);
  loopback_stop(one);
  loopback_stop(two);
}

TEST("a request names the application, and has the headers that the program configured") {
  loopback *server = loopback_start();
  const char *const headers[] = {"X-Remora-Test: one", "X-Other: two", NULL};
  char head[4096];
  remora_config config;
  remora_client *client = NULL;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = loopback_url(server);
  config.application_name = "harness";
  config.application_version = "4.2";
  config.headers = headers;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  remora_source *source = open_untrusted(client, "sample", NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_last_head(server, head, sizeof head);
  CHECK(strstr(head, "X-Remora-Test: one\r\n") != NULL);
  CHECK(strstr(head, "X-Other: two\r\n") != NULL);
  CHECK(strstr(head, "harness") != NULL && strstr(head, "4.2") != NULL);
  CHECK(strstr(head, "GET /v2/buckets/main/collections/sample/changeset?_expected=0") == head);
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}
