/* SPDX-License-Identifier: Apache-2.0 */

/* The header's experiments: read from a snapshot, and announced by an event. */
#include <stdio.h>
#include <string.h>

#include "recorder.h"
#include "scene.h"

#define TWO                                                                                             \
  "{\"experiments\":[{\"name\":\"paint\",\"variant\":\"v1\",\"trackable\":1,\"settings\":[\"brush\"]}," \
  "{\"name\":\"save\"}]}"

static void open_tag(const char *packaged, recorder *events) {
  remora_settings_options settings;
  remora_source_options options = events ? recorded(events) : without_fetch();
  REMORA_INIT(&settings);
  settings.url = server ? loopback_url(server) : NO_SERVER;
  settings.tag = "x";
  settings.packaged_data = packaged;
  settings.packaged_size = packaged ? strlen(packaged) : 0;
  client = client_in_memory(NO_SERVER);
  REQUIRE_OK(remora_open_settings(client, &settings, &options, &source, &error));
  snapshot = acquire(source);
}

TEST("an experiment is found by its name, with its variant and its other fields") {
  remora_experiment experiment = {.struct_size = sizeof experiment};
  remora_value key;
  const char *text = NULL;
  open_tag(TWO, NULL);
  REQUIRE_OK(remora_experiment_find(snapshot, "paint", &experiment, &error));
  CHECK_TEXT("paint", experiment.name);
  CHECK_INT(5, experiment.name_length);
  CHECK_TEXT("v1", experiment.variant);
  CHECK_INT(2, experiment.variant_length);
  CHECK(experiment.trackable == 1);
  CHECK_INT(1, remora_value_count(experiment.settings));
  REQUIRE_OK(remora_value_item(experiment.settings, 0, NULL, NULL, &key, &error));
  REQUIRE_OK(remora_value_get_string(key, &text, NULL, &error));
  CHECK_TEXT("brush", text);
  REQUIRE_OK(remora_experiment_find(snapshot, "save", &experiment, &error));
  CHECK_TEXT("", experiment.variant);
  CHECK_INT(0, experiment.variant_length);
  CHECK(experiment.trackable == 0);
  CHECK_INT(REMORA_TYPE_NONE, remora_value_type(experiment.settings));
  experiment.name = "as before";
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_experiment_find(snapshot, "other", &experiment, &error));
  CHECK_TEXT("as before", experiment.name);
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_experiment_find(snapshot, "", &experiment, &error));
  close_scene();
}

typedef struct walk {
  char text[128];
  int left;
} walk;

static int32_t note_name(const remora_experiment *experiment, void *raw) {
  walk *walk = raw;
  size_t length = strlen(walk->text);
  snprintf(walk->text + length, sizeof walk->text - length, "%s=%s ", experiment->name, experiment->variant);
  return --walk->left == 0;
}

TEST("experiments are listed in their order, even after the source and client are closed") {
  walk all = {.left = -1}, first = {.left = 1}, none = {.left = -1};
  open_tag(TWO, NULL);
  REQUIRE_OK(remora_experiment_foreach(snapshot, note_name, &all, &error));
  CHECK_TEXT("paint=v1 save= ", all.text);
  REQUIRE_OK(remora_experiment_foreach(snapshot, note_name, &first, &error));
  CHECK_TEXT("paint=v1 ", first.text);
  /* The snapshot outlives its source and its client, and so do they. */
  remora_source_close(source);
  remora_client_close(client);
  source = NULL;
  client = NULL;
  all.text[0] = 0;
  REQUIRE_OK(remora_experiment_foreach(snapshot, note_name, &all, &error));
  CHECK_TEXT("paint=v1 save= ", all.text);
  remora_snapshot_release(snapshot);
  open_tag("{\"experiments\":7}", NULL);
  REQUIRE_OK(remora_experiment_foreach(snapshot, note_name, &none, &error));
  CHECK_TEXT("", none.text);
  close_scene();
}

TEST("an override of the key 'experiments' replaces the experiments of the settings") {
  remora_experiment experiment = {.struct_size = sizeof experiment};
  open_tag(TWO, NULL);
  REQUIRE_OK(remora_override_set(source, "experiments", NULL, "{\"paint\":{\"variant\":\"v2\"}}", 0, &error));
  remora_snapshot *overridden = acquire(source);
  REQUIRE_OK(remora_experiment_find(overridden, "paint", &experiment, &error));
  CHECK_TEXT("v2", experiment.variant);
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_experiment_find(overridden, "save", &experiment, &error));
  remora_snapshot_release(overridden);
  close_scene();
}

/* What is kept of the announcements of each event; the context of `during`. */
static void keep_announced(const remora_event *event, void *raw) {
  walk *walk = raw;
  size_t length = strlen(walk->text);
  for (size_t i = 0; i < event->new_experiment_count; i++) note_name(event->new_experiments[i], walk);
  CHECK((event->new_experiments == NULL) == (event->new_experiment_count == 0));
  length = strlen(walk->text);
  snprintf(walk->text + length, sizeof walk->text - length, "| ");
}

TEST("an event reports each new experiment and each new variant once") {
  recorder events;
  walk announced = {.left = -1};
  recorder_init(&events);
  events.during = keep_announced;
  events.context = &announced;
  server = loopback_start();
  loopback_say(server, TWO);
  open_tag(NULL, &events);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  recorder_await(&events, 2);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  recorder_await(&events, 3);
  loopback_say(server, "{\"experiments\":[{\"name\":\"paint\",\"variant\":\"v2\"},{\"name\":\"save\"}],\"a\":1}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  recorder_await(&events, 4);
  remora_client_close(client);
  client = NULL;
  CHECK_TEXT("| paint=v1 save= | | paint=v2 | ", announced.text);
  close_scene();
}

TEST("an error about a NULL argument of an experiment function names the argument") {
  remora_experiment experiment = {.struct_size = sizeof experiment};
  walk nothing = {.left = -1};
  open_tag(TWO, NULL);
  CHECK_INVALID("snapshot", remora_experiment_find(NULL, "paint", &experiment, &error));
  CHECK_INVALID("name", remora_experiment_find(snapshot, NULL, &experiment, &error));
  CHECK_INVALID("out_experiment", remora_experiment_find(snapshot, "paint", NULL, &error));
  CHECK_INVALID("snapshot", remora_experiment_foreach(NULL, note_name, &nothing, &error));
  CHECK_INVALID("visitor", remora_experiment_foreach(snapshot, NULL, &nothing, &error));
  CHECK_INT(REMORA_OK, remora_experiment_find(snapshot, "paint", &experiment, NULL));
  CHECK_TEXT("", nothing.text);
  close_scene();
}
