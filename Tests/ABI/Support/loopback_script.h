/* SPDX-License-Identifier: Apache-2.0 */

/* What the scripted server answers. */
#ifndef LOOPBACK_SCRIPT_H
#define LOOPBACK_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

enum { LOOPBACK_ATTACHMENTS = 8 };

/* A collection, or an answer of another kind. The texts are not copied. */
typedef struct loopback_script {
  char url[64];
  int64_t timestamp;
  int64_t since;
  const char *records;
  const char *diff;
  int status;         /* 0: answer from the collection or with `body`. */
  const char *header; /* With `status`; NULL for none. */
  const char *body;   /* NULL: answer from the collection. */
  struct {
    const char *location, *text;
  } attachments[LOOPBACK_ATTACHMENTS]; /* Up to the first without a location. */
} loopback_script;

/* The whole answer to a request, by the head of the request; free it. NULL without memory. */
char *loopback_answer(const loopback_script *script, const char *head);

/* The text of the attachment that a request asks for, or NULL. */
const char *loopback_attachment(const loopback_script *script, const char *head);

#endif /* LOOPBACK_SCRIPT_H */
