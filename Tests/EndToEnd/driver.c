/* SPDX-License-Identifier: Apache-2.0
 *
 * A host program for pytest: reads one command per line, calls Remora's C API, and
 * answers with one line of JSON. It holds one client, one source and one kept snapshot.
 *
 * Words are separated by single spaces; "-" stands for NULL. Every answer has `status`
 * and `elapsed_ms`. The table at the end lists the commands. */
#define _POSIX_C_SOURCE 200809L

#include "driver_activation.h"
#include "driver_attachments.h"
#include "driver_bundles.h"
#include "driver_preconnect.h"
#include "driver_format.h"
#include "driver_log.h"
#include "driver_reads.h"
#include "driver_refreshes.h"
#include "driver_seeds.h"
#include "driver_settings.h"
#include "driver_state.h"
#include "driver_words.h"

#define MAX_WORDS 32

/* --------------------------------------------------------- callbacks --- */

static void on_event(const remora_event *event, void *user_data) {
  struct text line = {NULL, 0, 0};
  text_add(&line, "{");
  text_member_string(&line, "subscriber", user_data);
  format_event(&line, event);
  if (busy_subscriber && strcmp(user_data, "subscribe") == 0) {
    text_member_int(&line, "value", remora_get_int(source, "A", "/sessionConfiguration/foregroundTimeout", -1));
    format_namespaces(&line, event->new_snapshot, NULL);
    remora_refresh_async(source, NULL, -1, on_completion, NULL, NULL, NULL, NULL);
    remora_unsubscribe(subscription);
    subscription = NULL;
    busy_subscriber = 0;
  }
  queue_put(&events, line.bytes);
}

/* ---------------------------------------------------------- commands --- */

static void run_setup(char **words, struct text *answer) {
  remora_config config;
  remora_error error;
  REMORA_INIT(&config);
  config.storage_dir = option(words, "dir");
  config.application_name = "e2e-driver";
  config.server = option(words, "server");
  config.bucket = option(words, "bucket");
  config.ca_file = option(words, "ca_file");
  config.connect_timeout_ms = number_option(words, "connect_timeout");
  config.stall_timeout_ms = number_option(words, "stall_timeout");
  config.total_timeout_ms = number_option(words, "total_timeout");
  config.max_body_bytes = number_option(words, "max_body");
  config.log_level = (int32_t)number_option(words, "log");
  if (config.log_level != 0) config.on_log = on_log;
  format_result(answer, remora_setup(&config, &client, &error), &error);
}

static void run_open(char **words, struct text *answer) {
  const char *trusted[] = {option(words, "trusted_host"), NULL};
  const char *previous[] = {option(words, "previous_root"), NULL};
  const char *trust = option(words, "trust");
  remora_collection_options collection;
  remora_source_options options = source_options(words);
  remora_error error;
  REMORA_INIT(&collection);
  collection.name = option(words, "collection");
  collection.server = option(words, "server");
  collection.bucket = option(words, "bucket");
  collection.trust = trust != NULL && strcmp(trust, "off") == 0 ? REMORA_TRUST_OFF : REMORA_TRUST_REQUIRED;
  collection.root_sha256 = option(words, "root");
  collection.signer = option(words, "signer");
  collection.trusted_hosts = trusted;
  collection.previous_roots = previous;
  collection.packaged_file = option(words, "packaged");
  collection.packaged_attachments = option(words, "packaged_attachments");
  collection.max_future_ms = number_option(words, "max_future");
  collection.activation = activation_option(words);
  if (source != NULL && other_count < sizeof others / sizeof *others) others[other_count++] = source;
  format_result(answer, remora_open_collection(client, &collection, &options, &source, &error), &error);
}

static void run_subscribe(char **words, struct text *answer) {
  remora_error error;
  remora_flags options = option(words, "replay") != NULL ? REMORA_SUBSCRIBE_REPLAY : 0;
  busy_subscriber = option(words, "busy") != NULL;
  remora_unsubscribe(subscription);
  subscription = NULL;
  format_result(
      answer,
      remora_subscribe(source, option(words, "key"), options, on_event, "subscribe", NULL, &subscription, &error),
      &error);
}

static void run_unsubscribe(char **words, struct text *answer) {
  (void)words;
  remora_unsubscribe(subscription);
  subscription = NULL;
  format_result(answer, REMORA_OK, NULL);
}

/* Answers with the oldest line of a queue; TIMEOUT when none comes. */
static void answer_from(struct queue *queue, char **words, struct text *answer) {
  char *line = queue_take(queue, number_word(words, 0));
  if (line == NULL) {
    text_member_string(answer, "status", remora_status_name(REMORA_ERR_TIMEOUT));
    return;
  }
  text_add(answer, line + 1);
  format_result(answer, REMORA_OK, NULL);
  free(line);
}

static void run_event(char **words, struct text *answer) { answer_from(&events, words, answer); }

static void run_log(char **words, struct text *answer) { answer_from(&log_lines, words, answer); }

static void run_completion(char **words, struct text *answer) { answer_from(&completions, words, answer); }

static void run_context(char **words, struct text *answer) {
  remora_error error;
  format_result(answer, remora_set_context(client, word(words, 0), &error), &error);
}

static void run_reset(char **words, struct text *answer) {
  remora_error error;
  (void)words;
  format_result(answer, remora_reset(source, &error), &error);
}

static void run_close_source(char **words, struct text *answer) {
  (void)words;
  remora_source_close(source);
  source = NULL;
  subscription = NULL;
  format_result(answer, REMORA_OK, NULL);
}

static void run_close(char **words, struct text *answer) {
  (void)words;
  remora_client_close(client);
  client = NULL;
  format_result(answer, REMORA_OK, NULL);
}

/* Leaves without closing anything, as many programs do. */
static void run_exit(char **words, struct text *answer) {
  (void)words;
  (void)answer;
  printf("{\"status\":\"%s\"}\n", remora_status_name(REMORA_OK));
  fflush(stdout);
  exit(0);
}

/* -------------------------------------------------------------- main --- */

static const struct {
  const char *name;
  void (*run)(char **words, struct text *answer);
} commands[] = {
    {"setup", run_setup}, /* dir= server= bucket= ca_file= connect_timeout= stall_timeout= total_timeout= max_body=
                             log=LEVEL */
    {"open", run_open},   /* collection= root= previous_root= server= bucket= trust=off signer= trusted_host=
                                       packaged= packaged_attachments= max_future= activation= fetch=yes|no
                                       persist=1 interval= on_event=1; what was open before stays so */
    {"open-bundle",
     run_open_bundle}, /* url= name= method=post fetch=no schema= defaults=FILE default_version= persist=1
                                       interval=; told as with on_event=1 */
    {"open-settings", run_open_settings}, /* url= param=NAME/VALUE… root_key= tag=FILE tag_item= activation= fetch=no
                                       memory=1 packaged= persist=1 interval= ttl= on_event=1 */
    {"seed-save", run_seed_save},         /* FILE dir= kind=settings|bundle|collection url= param=NAME/VALUE… tag=FILE
                                       collection= root= server= trust=off max_body= fetched_at= */
    {"seed-request", run_seed_request},   /* the same without FILE; identifier= app= app_version= build= */
    {"namespaces", run_namespaces},       /* of the live snapshot */
    {"override", run_override},           /* [KEY [POINTER [JSON]]]: sets with a JSON, else clears */
    {"sync", run_sync},                   /* TIMEOUT_MS: of all that is open */
    {"refresh", run_refresh},             /* TIMEOUT_MS */
    {"refresh-async", run_refresh_async}, /* [force] */
    {"completion", run_completion},       /* TIMEOUT_MS: the next end of a refresh-async */
    {"cancel", run_cancel},               /* the last refresh-async */
    {"refresh-thread", run_refresh_thread}, /* TIMEOUT_MS: a blocking refresh on another thread */
    {"await-thread", run_await_thread},     /* TIMEOUT_MS: a blocking await on another thread */
    {"join", run_join},                     /* the result of either */
    {"await", run_await},                   /* TIMEOUT_MS [only_if_empty] */
    {"await-async", run_await_async},       /* TIMEOUT_MS: ends in a completion */
    {"get", run_get},                       /* bool|int|double|string|url KEY POINTER DEFAULT */
    {"has", run_has},                       /* bool|int|double|string|url KEY [POINTER]: why there is no value */
    {"json", run_json},                     /* [KEY [POINTER]] of the live snapshot */
    {"unfiltered", run_unfiltered},         /* the same, with what filters hide */
    {"context", run_context},               /* JSON without spaces, or - */
    {"hold", run_hold},                     /* keeps the live snapshot */
    {"held", run_held},                     /* [KEY [POINTER]] of the kept one */
    {"attachment", run_attachment},         /* TIMEOUT_MS record=|location= max_bytes= local=1 held=1 unread=1 */
    {"fields", run_fields},                 /* KEY */
    {"info", run_info},
    {"subscribe", run_subscribe}, /* [key=KEY] [replay=1] [busy=1] */
    {"unsubscribe", run_unsubscribe},
    {"event", run_event},           /* TIMEOUT_MS: the next event */
    {"log", run_log},               /* TIMEOUT_MS: the next line of the log, after setup log= */
    {"preconnect", run_preconnect}, /* url= app= */
    {"reset", run_reset},
    {"experiments", run_experiments},
    {"activate", run_activate},
    {"stop-listening", run_stop_listening},
    {"close-source", run_close_source},
    {"close", run_close},
    {"exit", run_exit}, /* without closing */
};

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Runs one line and prints its answer; 0 when there is no such command. */
static int run_line(char *line) {
  char *words[MAX_WORDS + 1] = {NULL};
  size_t count = 0;
  for (char *next = strtok(line, " \n"); next != NULL && count < MAX_WORDS; next = strtok(NULL, " \n")) {
    words[count++] = next;
  }
  for (size_t i = 0; count > 0 && i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(commands[i].name, words[0]) == 0) {
      struct text answer = {NULL, 0, 0};
      int64_t start = now_ms();
      text_add(&answer, "{");
      commands[i].run(words + 1, &answer);
      text_member_int(&answer, "elapsed_ms", now_ms() - start);
      printf("%s}\n", answer.bytes);
      fflush(stdout);
      free(answer.bytes);
      return 1;
    }
  }
  return 0;
}

int main(void) {
  char line[8192];
  queue_init(&events);
  queue_init(&completions);
  queue_init(&log_lines);
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (!run_line(line)) {
      fprintf(stderr, "e2e-driver: no such command: %s", line);
      return 2;
    }
  }
  remora_snapshot_release(held);
  remora_request_release(request);
  remora_unsubscribe(subscription);
  remora_source_close(source);
  while (other_count > 0) remora_source_close(others[--other_count]);
  remora_client_close(client);
  return 0;
}
