/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that grows: the driver's answers are built in it, as one line of JSON each.
 * Running out of memory ends the driver; it is a test program. */
#ifndef DRIVER_TEXT_H
#define DRIVER_TEXT_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
  char *bytes;
  size_t length;
  size_t capacity;
};

/* Makes room for `more` bytes and a NUL, and gives the place where they go. */
static inline char *text_reserve(struct text *text, size_t more) {
  if (text->length + more + 1 > text->capacity) {
    text->capacity = (text->length + more + 1) * 2;
    text->bytes = realloc(text->bytes, text->capacity);
    if (text->bytes == NULL) {
      abort();
    }
  }
  return text->bytes + text->length;
}

static inline void text_add(struct text *text, const char *bytes) {
  size_t length = strlen(bytes);
  memcpy(text_reserve(text, length), bytes, length + 1);
  text->length += length;
}

/* A JSON string with its quotes. UTF-8 goes through as it is. */
static inline void text_add_string(struct text *text, const char *bytes, size_t length) {
  char escape[8];
  text_add(text, "\"");
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", byte);
    } else if (byte == '"' || byte == '\\') {
      snprintf(escape, sizeof escape, "\\%c", byte);
    } else {
      snprintf(escape, sizeof escape, "%c", byte);
    }
    text_add(text, escape);
  }
  text_add(text, "\"");
}

/* The name of a member, with the comma that it needs. */
static inline void text_add_name(struct text *text, const char *name) {
  char last = text->length > 0 ? text->bytes[text->length - 1] : '{';
  text_add(text, last == '{' ? "" : ",");
  text_add_string(text, name, strlen(name));
  text_add(text, ":");
}

static inline void text_member_string(struct text *text, const char *name, const char *value) {
  text_add_name(text, name);
  text_add_string(text, value, strlen(value));
}

static inline void text_member_int(struct text *text, const char *name, int64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, value);
  text_add_name(text, name);
  text_add(text, digits);
}

static inline void text_member_double(struct text *text, const char *name, double value) {
  char digits[40];
  snprintf(digits, sizeof digits, "%.17g", value);
  text_add_name(text, name);
  text_add(text, digits);
}

#endif
