/* SPDX-License-Identifier: Apache-2.0 */

/* The scene of the tests of attachments: "sample" of a scripted server, with records whose attachments are right or
 * lie, and asynchronous openings whose end is kept. */
#ifndef ATTACHMENT_SCENE_H
#define ATTACHMENT_SCENE_H

#include "scene.h"

/* Texts and what their records have: ids "small", "large", "empty". */
extern const char small_text[];
enum { SMALL_BYTES = 17, LARGE_BYTES = 300000 };
const char *large_text(void);

/* Opens and refreshes the scene, in memory or in a directory, with options for the collection. */
void open_attachments(const char *directory);
void open_attachments_with(const char *directory, const remora_collection_options *collection);

/* Options of an opening with this field. */
#define ATTACHMENT_WITH(field, value) \
  (&(remora_attachment_options){.struct_size = sizeof(remora_attachment_options), .field = (value)})

/* Opens a record's attachment with PATIENCE_MS; the test ends when that fails. */
remora_attachment *open_record(const char *id);
void check_text_of(const char *expected, const remora_attachment *attachment);

/* An opening that must fail with `expected`, a message that contains `word`, and no attachment. */
#define CHECK_OPEN_REFUSED(expected, word, record, options, timeout_ms)                                        \
  do {                                                                                                         \
    remora_attachment *none = NULL;                                                                            \
    CHECK_REFUSED(expected, word, remora_attachment_open(source, record, options, timeout_ms, &none, &error)); \
    CHECK(none == NULL);                                                                                       \
  } while (0)

/* What an asynchronous opening came to. */
typedef struct opening {
  tally calls;
  tally freed;
  tally progress;
  tally progress_freed;
  remora_status status;
  remora_status error; /* REMORA_OK without one. */
  int has_attachment;
  int64_t received, total; /* Of the last progress. */
  remora_attachment *kept; /* Retained when `keeps`. */
  int keeps;
  void (*during)(void);          /* Inside the callback. */
  void (*during_progress)(void); /* Inside the progress. */
} opening;

/* The openings of the scene; open_attachments initialises them. */
extern opening first_opening, second_opening;

void opening_init(opening *opening);
void opening_told(const remora_result *result, void *user_data);
void opening_freed(void *user_data);
void opening_progress(const remora_progress *now, void *user_data);
void opening_progress_freed(void *user_data);

/* Options whose progress is written down. */
remora_attachment_options progress_to(opening *opening);

/* Starts an opening of the scene's source that needs no handle. */
remora_status open_async(const char *record, const remora_attachment_options *options, int64_t timeout_ms,
                         opening *opening, remora_error *error);

/* Starts one with progress and a handle. */
remora_request *start_opening(const char *id, opening *opening);

/* Starts one whose download has begun and stands still. */
remora_request *start_stalled(opening *opening);

/* Waits for its end and compares the status. */
void check_end(opening *end, remora_status status);

/* Checks that its callbacks came once and its user data was freed once, also after the end of the client. */
void check_once(opening *end);

#endif /* ATTACHMENT_SCENE_H */
