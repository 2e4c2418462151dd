/* SPDX-License-Identifier: Apache-2.0 */

/* What the targets of the fuzzer share. A target is one way for bytes of others to come into the library; everything
 * goes through remora.h, in one process that sends no request but to itself. */
#ifndef FUZZ_H
#define FUZZ_H

#include <remora.h>
#include <stddef.h>
#include <stdint.h>

/* One way in, by its name on the command line. */
typedef struct fuzz_target {
  const char *name;
  void (*feed)(const char *bytes, size_t length);
} fuzz_target;

extern const fuzz_target fuzz_targets[];

/* A client that keeps everything in memory. */
extern remora_client *client;

/* Ends the process as a finding unless `condition` holds. */
#define REQUIRE(condition) fuzz_require((condition) != 0, #condition, __FILE__, __LINE__)
void fuzz_require(int holds, const char *text, const char *file, int line);

/* Whether a call succeeded. One that did not must have a status of the header and a sentence. */
int succeeded(remora_status status, const remora_error *error);

/* Options of an opening that begins no refresh. */
remora_source_options without_fetch(void);

/* Reads everything of what is live, in every way, and closes the source. In whole data nothing that is named is
 * missing. */
void read_and_close(remora_source *source, int whole);

/* The targets. */
void feed_settings(const char *bytes, size_t length);
void feed_bundle(const char *bytes, size_t length);
void feed_collection(const char *bytes, size_t length);
void feed_override(const char *bytes, size_t length);
void feed_filter(const char *bytes, size_t length);
void feed_image(const char *bytes, size_t length);
void feed_ledger(const char *bytes, size_t length);
void feed_chain(const char *bytes, size_t length);
void feed_answer(const char *bytes, size_t length);
void feed_monitor(const char *bytes, size_t length);

#endif /* FUZZ_H */
