/* SPDX-License-Identifier: Apache-2.0 */

/* What the tests of the C API share: clients and sources with known data, checks of a
 * call's status and error, and user data that counts its end. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <remora.h>
#include <string.h>

#include "check.h"
#include "loopback.h"
#include "tally.h"

/* Packaged data of four records, keys "flags", "limits", "texts" and "tree". */
extern const char sample_data[];
enum { SAMPLE_VERSION = 1000, SAMPLE_COUNT = 4 };

/* Where no server is: for tests that send nothing. */
#define NO_SERVER "http://127.0.0.1:1"

/* A call whose status must be `expected`. Inside it `error` is a fresh remora_error. */
#define CHECK_STATUS(expected, call)                                     \
  do {                                                                   \
    remora_error error;                                                  \
    fill_error(&error);                                                  \
    check_status((expected), (call), &error, #call, __FILE__, __LINE__); \
  } while (0)

/* As CHECK_STATUS for a failure, whose message must also contain `word`. An invalid argument must be named as the
 * header promises: by `parameter`, with which the message begins, and by no other name of the header. */
#define CHECK_REFUSED(expected, word, call)                                       \
  do {                                                                            \
    remora_error error;                                                           \
    fill_error(&error);                                                           \
    check_refused((expected), (word), (call), &error, #call, __FILE__, __LINE__); \
  } while (0)

#define CHECK_INVALID(word, call) CHECK_REFUSED(REMORA_ERR_INVALID_ARGUMENT, word, call)

/* As CHECK_INVALID for a call whose error has this `parameter`. */
#define CHECK_PARAMETER(name, call)                                     \
  do {                                                                  \
    remora_error error;                                                 \
    fill_error(&error);                                                 \
    check_parameter((name), (call), &error, #call, __FILE__, __LINE__); \
  } while (0)

/* As CHECK_STATUS with REMORA_OK, and the test ends when it is anything else. */
#define REQUIRE_OK(call)                                                                      \
  do {                                                                                        \
    remora_error error;                                                                       \
    fill_error(&error);                                                                       \
    if (!check_status(REMORA_OK, (call), &error, #call, __FILE__, __LINE__)) check_give_up(); \
  } while (0)

/* The rule of struct_size, for an options structure that `prepare` fills and `call` takes,
 * both as `options`: too small and a tail that is not zero are refused, a zero tail is not. No structure has fewer than
 * 24 bytes; Tests/Bindings/test_sizes.py tests the exact size of each. */
#define CHECK_STRUCT_SIZES(type, prepare, call)                         \
  do {                                                                  \
    union {                                                             \
      type known;                                                       \
      unsigned char bytes[sizeof(type) + 16];                           \
    } grown;                                                            \
    type *options = &grown.known;                                       \
    const size_t too_small[] = {0, 1, 23};                              \
    for (size_t i = 0; i < sizeof too_small / sizeof *too_small; i++) { \
      prepare;                                                          \
      options->struct_size = too_small[i];                              \
      CHECK_INVALID("is not initialised: its size is ", call);          \
    }                                                                   \
    memset(&grown, 0, sizeof grown);                                    \
    prepare;                                                            \
    options->struct_size = sizeof grown;                                \
    grown.bytes[sizeof grown - 1] = 1;                                  \
    CHECK_INVALID("sets a field that this version", call);              \
    grown.bytes[sizeof grown - 1] = 0;                                  \
    CHECK_STATUS(REMORA_OK, call);                                      \
  } while (0)

/* What remora_init must keep for every structure: nothing is written past the size that it is told. */
#define CHECK_INIT_STAYS_INSIDE(type)                                                      \
  do {                                                                                     \
    union {                                                                                \
      type known;                                                                          \
      unsigned char bytes[sizeof(type) + 16];                                              \
    } guarded;                                                                             \
    const size_t told[] = {sizeof(size_t), sizeof(type)};                                  \
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {                              \
      memset(&guarded, 0xA5, sizeof guarded);                                              \
      remora_init(&guarded, told[i]);                                                      \
      for (size_t j = told[i]; j < sizeof guarded; j++) CHECK_INT(0xA5, guarded.bytes[j]); \
    }                                                                                      \
    remora_init(NULL, sizeof(type));                                                       \
  } while (0)

void fill_error(remora_error *error);
int check_status(remora_status expected, remora_status actual, const remora_error *error, const char *text,
                 const char *file, int line);
void check_parameter(const char *name, remora_status actual, const remora_error *error, const char *text,
                     const char *file, int line);
void check_refused(remora_status expected, const char *word, remora_status actual, const remora_error *error,
                   const char *text, const char *file, int line);

/* A client with this server that keeps everything in memory, or in a directory. */
remora_client *client_in_memory(const char *server);
remora_client *client_in_directory(const char *directory, const char *server);

/* A collection without trust; `packaged` is JSON text or NULL. */
remora_collection_options untrusted(const char *name, const char *packaged);
remora_source *open_untrusted(remora_client *client, const char *name, const char *packaged);

/* Options of an opening that begins no refresh. */
remora_source_options without_fetch(void);

/* Options of a refresh, wait or sync with this field. */
#define REFRESH_WITH(field, value) \
  (&(remora_refresh_options){.struct_size = sizeof(remora_refresh_options), .field = (value)})

/* The live snapshot of a source, and its version; the test ends when there is none. */
remora_snapshot *acquire(remora_source *source);
int64_t live_version(remora_source *source);

/* Refreshes, and checks the outcome; for a failure, the one that events report for its status. */
#define CHECK_REFRESH(outcome, source) check_refresh((outcome), (source), __FILE__, __LINE__)
void check_refresh(int32_t outcome, remora_source *source, const char *file, int line);

/* A remora_refresh on a thread of its own. */
typedef struct background_refresh {
  remora_source *source;
  pthread_t thread;
  tally done;
  remora_status status; /* This and the next: valid once done was counted. */
  int32_t outcome;
} background_refresh;

void background_start(background_refresh *refresh, remora_source *source);
void background_join(background_refresh *refresh);

/* A remora_client_close on a thread of its own, which counts when it is through. */
typedef struct background_close {
  remora_client *client;
  tally done;
} background_close;

/* The main function of such a thread; its argument is a background_close. */
void *close_apart(void *closing);

/* A new directory of this test's; its removal, with everything in it. */
void temporary_directory(char path[64]);
void remove_directory(const char *path);

/* Waits for a forked child at most PATIENCE_MS, and kills it then. Returns its exit status, or the negative number of
 * the signal that ended it. */
int await_child(pid_t child);

/* The same; the status must be 0. */
void check_child(pid_t child);

/* Forks a child that ends at once, on another thread, and waits for both. */
void fork_on_another_thread(void);

/* `length` times the letter 'k', NUL-terminated; the caller frees it. */
char *long_text(size_t length);

/* Opens a collection, bundle or settings with one thing wrong: refused by name, and the user data freed exactly once.
 * `change` sets the wrong field of `collection`, `bundle`, `settings` or `options`. */
#define CHECK_OPENING(kind, good, expected, word, change)                                        \
  do {                                                                                           \
    tally freed;                                                                                 \
    remora_source *source = NULL;                                                                \
    tally_init(&freed);                                                                          \
    remora_client *client = client_in_memory(NO_SERVER);                                         \
    remora_##kind##_options kind = good;                                                         \
    remora_source_options options = without_fetch();                                             \
    options.on_event_user_data = &freed;                                                         \
    options.on_event_free_user_data = tally_add;                                                 \
    change;                                                                                      \
    CHECK_REFUSED(expected, word, remora_open_##kind(client, &kind, &options, &source, &error)); \
    CHECK(source == NULL);                                                                       \
    CHECK_INT(1, tally_count(&freed));                                                           \
    remora_client_close(client);                                                                 \
    CHECK_INT(1, tally_count(&freed));                                                           \
  } while (0)

#endif /* FIXTURE_H */
