/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "sources": what opening and info refuse, and how they say so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

#define CHECK_OPEN(expected, word, change) CHECK_OPENING(collection, untrusted("sample", NULL), expected, word, change)
#define CHECK_INVALID_OPEN(word, change) CHECK_OPEN(REMORA_ERR_INVALID_ARGUMENT, word, change)

TEST("an error about a NULL argument for opening a source names it, and closing NULL does nothing") {
  tally freed;
  remora_source *source = NULL;
  remora_source_info info = {.struct_size = sizeof info};
  remora_client *client = client_in_memory(NO_SERVER);
  tally_init(&freed);
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source_options options = without_fetch();
  options.on_event_user_data = &freed;
  options.on_event_free_user_data = tally_add;
  CHECK_INVALID("client", remora_open_collection(NULL, &collection, &options, &source, &error));
  CHECK_INT(1, tally_count(&freed));
  CHECK_INVALID("collection", remora_open_collection(client, NULL, &options, &source, &error));
  CHECK_INT(2, tally_count(&freed));
  CHECK_INVALID("out_source", remora_open_collection(client, &collection, &options, NULL, &error));
  CHECK_INT(3, tally_count(&freed));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_open_collection(NULL, NULL, NULL, NULL, NULL));
  CHECK_INVALID("source", remora_source_get_info(NULL, &info, &error));
  source = open_untrusted(client, "sample", NULL);
  CHECK_INVALID("out_info", remora_source_get_info(source, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_source_get_info(source, NULL, NULL));
  CHECK_INT(REMORA_OK, remora_source_get_info(source, &info, NULL));
  remora_source_close(source);
  remora_source_close(NULL);
  remora_client_close(client);
}

TEST("too small collection or source options are refused, and larger ones are accepted only if the extra bytes are 0") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = NULL;
  CHECK_STRUCT_SIZES(remora_collection_options, *options = untrusted("sample", NULL),
                     remora_open_collection(client, options, NULL, &source, &error));
  remora_source_close(source);
  remora_collection_options collection = untrusted("sample", NULL);
  CHECK_STRUCT_SIZES(remora_source_options, REMORA_INIT(options),
                     remora_open_collection(client, &collection, options, &source, &error));
  remora_source_close(source);
  remora_client_close(client);
  CHECK_INIT_STAYS_INSIDE(remora_collection_options);
  CHECK_INIT_STAYS_INSIDE(remora_source_options);
}

TEST("a remora_source_info structure may be larger than the library knows, but not smaller") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = open_untrusted(client, "sample", sample_data);
  union {
    remora_source_info known;
    unsigned char bytes[sizeof(remora_source_info) + 16];
  } grown;
  const size_t too_small[] = {0, 1, offsetof(remora_source_info, freshness) - 1};
  memset(&grown, 0, sizeof grown);
  for (size_t i = 0; i < sizeof too_small / sizeof *too_small; i++) {
    grown.known.struct_size = too_small[i];
    CHECK_PARAMETER("out_info", remora_source_get_info(source, &grown.known, &error));
  }
  grown.known.struct_size = sizeof grown;
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &grown.known, &error));
  CHECK_INT(SAMPLE_VERSION, grown.known.version);
  for (size_t i = sizeof(remora_source_info); i < sizeof grown; i++) CHECK_INT(0, grown.bytes[i]);
  remora_source_close(source);
  remora_client_close(client);
}

TEST("REMORA_INIT sets the struct_size of an options structure and every other member to its default") {
  remora_collection_options collection;
  remora_source_options options;
  memset(&collection, 0xA5, sizeof collection);
  memset(&options, 0xA5, sizeof options);
  REMORA_INIT(&collection);
  REMORA_INIT(&options);
  CHECK_INT(sizeof collection, (int64_t)collection.struct_size);
  CHECK_INT(sizeof options, (int64_t)options.struct_size);
  CHECK_INT(REMORA_TRUST_REQUIRED, collection.trust);
  CHECK_INT(REMORA_ACTIVATION_DEFAULT, collection.activation);
  CHECK_INT(REMORA_FIRST_FETCH_DEFAULT, options.first_fetch);
  CHECK(collection.name == NULL && collection.packaged_data == NULL && collection.previous_roots == NULL);
  CHECK(options.on_event == NULL && options.refresh_interval_ms == 0 && options.persist_overrides == 0);
}

TEST("an invalid collection or bucket name is refused") {
  const char *const names[] = {NULL, "", "../x", "-a", "a/b", "a b", "a.b", "a\n", "\xc3\xa4", "\xff"};
  char *long_name = long_text(129);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) CHECK_INVALID_OPEN("name", collection.name = names[i]);
  CHECK_INVALID_OPEN("name", collection.name = long_name);
  CHECK_INVALID_OPEN("bucket", collection.bucket = "../x");
  CHECK_INVALID_OPEN("bucket", collection.bucket = long_name);
  free(long_name);
}

TEST("a collection name of 128 characters is accepted") {
  char *name = long_text(128);
  remora_client *client = client_in_memory(NO_SERVER);
  remora_collection_options collection = untrusted(name, NULL);
  remora_source *source = NULL;
  CHECK_STATUS(REMORA_OK, remora_open_collection(client, &collection, NULL, &source, &error));
  remora_source_close(source);
  remora_client_close(client);
  free(name);
}

TEST("a server of a collection that is not an HTTP URL is refused") {
  const char *const servers[] = {"", "not a url", "ftp://x", "http://", "http://user:pw@h/", "http://h/\r\nX: y"};
  for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
    CHECK_INVALID_OPEN("server", collection.server = servers[i]);
}

TEST("persist_overrides accepts 0 and 1 only") {
  CHECK_INVALID_OPEN("persist_overrides", options.persist_overrides = 2);
  CHECK_INVALID_OPEN("persist_overrides", options.persist_overrides = -1);
}

TEST("an invalid trust policy or root certificate hash is refused") {
  const char *const roots[] = {"", "abc", "zz", "C8:A8", "not hexadecimal digits"};
  char *digits = long_text(64);
  CHECK_INVALID_OPEN("trust", collection.trust = 2);
  CHECK_INVALID_OPEN("trust", collection.trust = -1);
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    CHECK_INVALID_OPEN("root_sha256", (collection.trust = REMORA_TRUST_REQUIRED, collection.root_sha256 = roots[i]));
    CHECK_INVALID_OPEN("root_sha256", (collection.trust = REMORA_TRUST_OFF, collection.root_sha256 = roots[i]));
  }
  CHECK_INVALID_OPEN("root_sha256", (collection.trust = REMORA_TRUST_REQUIRED, collection.root_sha256 = digits));
  free(digits);
}

TEST("an invalid or ninth root certificate hash in previous_roots is refused") {
  const char *const bad[] = {"", "abc", "zz", "C8:A8", "not hexadecimal digits", "\xff"};
  char *pin = long_text(64);
  memset(pin, 'a', 64);
  const char *roots[10] = {pin, NULL};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    roots[1] = bad[i];
    CHECK_INVALID_OPEN("previous_roots", (collection.trust = REMORA_TRUST_REQUIRED, collection.previous_roots = roots));
    CHECK_INVALID_OPEN("previous_roots", (collection.trust = REMORA_TRUST_OFF, collection.previous_roots = roots));
  }
  for (size_t i = 0; i < 9; i++) roots[i] = pin;
  CHECK_INVALID_OPEN("previous_roots", (collection.trust = REMORA_TRUST_REQUIRED, collection.previous_roots = roots));
  free(pin);
}

TEST("previous_roots accepts zero to eight root certificate hashes") {
  char pins[8][65];
  const char *roots[9] = {NULL};
  for (size_t i = 0; i < 8; i++) {
    memset(pins[i], '0' + (char)i, 64);
    pins[i][64] = '\0';
    roots[i] = pins[i];
  }
  const char *const none[] = {NULL};
  const char *const *const arrays[] = {NULL, none, roots};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    remora_client *client = client_in_memory(NO_SERVER);
    remora_collection_options collection = untrusted("sample", NULL);
    remora_source *source = NULL;
    collection.trust = REMORA_TRUST_REQUIRED;
    collection.previous_roots = arrays[i];
    CHECK_STATUS(REMORA_OK, remora_open_collection(client, &collection, NULL, &source, &error));
    remora_source_close(source);
    remora_client_close(client);
  }
}

TEST("a collection option with a number that is out of range is refused") {
  CHECK_INVALID_OPEN("max_future_ms", collection.max_future_ms = -2);
  CHECK_INVALID_OPEN("max_future_ms", collection.max_future_ms = INT64_MIN);
}

TEST("packaged data that is not JSON, or has the wrong structure, is refused") {
  const char *const not_json[] = {"{", "nonsense", "{\"data\":[],\"timestamp\":1}x",
                                  "{\"data\":[],\"data\":[],\"timestamp\":1}"};
  const char *const misshapen[] = {"[]",
                                   "{}",
                                   "{\"data\":[]}",
                                   "{\"data\":{},\"timestamp\":1}",
                                   "{\"data\":[1],\"timestamp\":1}",
                                   "{\"data\":[{}],\"timestamp\":1}",
                                   "{\"data\":[],\"timestamp\":-1}",
                                   "{\"data\":[],\"timestamp\":\"1\"}"};
  for (size_t i = 0; i < sizeof not_json / sizeof *not_json; i++)
    CHECK_OPEN(REMORA_ERR_PARSE, "packaged_data",
               (collection.packaged_data = not_json[i], collection.packaged_size = strlen(not_json[i])));
  for (size_t i = 0; i < sizeof misshapen / sizeof *misshapen; i++)
    CHECK_OPEN(REMORA_ERR_FORMAT, "packaged_data",
               (collection.packaged_data = misshapen[i], collection.packaged_size = strlen(misshapen[i])));
  static const char forged[] = "{\"\\n\\u001b[2J\":1,\"\\n\\u001b[2J\":1}";
  CHECK_OPEN(REMORA_ERR_PARSE, "\\u{a}\\u{1b}[2J",
             (collection.packaged_data = forged, collection.packaged_size = strlen(forged)));
  CHECK_INVALID_OPEN("packaged_size", collection.packaged_size = 5);
  CHECK_INVALID_OPEN("packaged_",
                     (collection.packaged_data = sample_data, collection.packaged_size = strlen(sample_data),
                      collection.packaged_file = "/packaged.json"));
}

TEST("packaged data with an invalid signature can be opened") {
  const char *const shapes[] = {"null",
                                "7",
                                "[]",
                                "{}",
                                "{\"signatures\":{}}",
                                "{\"signatures\":[null,7,\"x\",[]]}",
                                "{\"signatures\":[{\"signature\":1,\"chain\":2}]}",
                                "{\"signature\":[]}",
                                "{\"signatures\":[{\"signature\":\"?\",\"chain\":\"no PEM\"}]}"};
  remora_client *client = client_in_memory(NO_SERVER);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char packaged[256];
    remora_collection_options collection;
    remora_source *source = NULL;
    snprintf(packaged, sizeof packaged, "{\"data\":[],\"metadata\":%s,\"timestamp\":5}", shapes[i]);
    REMORA_INIT(&collection);
    collection.name = "signed";
    collection.packaged_data = packaged;
    collection.packaged_size = strlen(packaged);
    CHECK_STATUS(REMORA_OK, remora_open_collection(client, &collection, NULL, &source, &error));
    CHECK_INT(5, live_version(source));
    remora_source_close(source);
  }
  remora_client_close(client);
}

TEST("an error about a packaged file that cannot be read or parsed names its path") {
  char top[64], path[96];
  temporary_directory(top);
  snprintf(path, sizeof path, "%s/absent.json", top);
  CHECK_OPEN(REMORA_ERR_STORAGE, path, collection.packaged_file = path);
  CHECK_OPEN(REMORA_ERR_STORAGE, top, collection.packaged_file = top);
  FILE *file = fopen(path, "w");
  REQUIRE(file != NULL);
  fputs("nonsense", file);
  fclose(file);
  CHECK_OPEN(REMORA_ERR_PARSE, "absent.json", collection.packaged_file = path);
  snprintf(path, sizeof path, "%s/fifo", top);
  REQUIRE(mkfifo(path, 0600) == 0);
  CHECK_OPEN(REMORA_ERR_STORAGE, path, collection.packaged_file = path);
  remove_directory(top);
}
