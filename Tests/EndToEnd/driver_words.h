/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a command: positional ones, `name=value` ones, and "-" for NULL. A list
 * of words ends with a NULL, as argv does. */
#ifndef DRIVER_WORDS_H
#define DRIVER_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The value of `name=value`, or NULL. */
static inline const char *option(char **words, const char *name) {
  size_t length = strlen(name);
  for (; *words != NULL; words++) {
    if (strncmp(*words, name, length) == 0 && (*words)[length] == '=') {
      return *words + length + 1;
    }
  }
  return NULL;
}

static inline int64_t number_option(char **words, const char *name) {
  const char *value = option(words, name);
  return value == NULL ? 0 : strtoll(value, NULL, 10);
}

/* The word at an index; NULL when there are fewer or it is "-". */
static inline const char *word(char **words, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (words[i] == NULL) {
      return NULL;
    }
  }
  return words[index] == NULL || strcmp(words[index], "-") == 0 ? NULL : words[index];
}

static inline int64_t number_word(char **words, size_t index) {
  const char *value = word(words, index);
  return value == NULL ? 0 : strtoll(value, NULL, 10);
}

#endif
