/* SPDX-License-Identifier: Apache-2.0 */

/* The functions that read snapshots and attachments, and those that need no handle. */
#include "chaos_host.h"
#include "fixture.h"

static int32_t visit_change(const remora_change *change, void *data) {
  (void)data;
  return remora_value_type(change->new_value) == REMORA_TYPE_STRING;
}

static int32_t visit_experiment(const remora_experiment *experiment, void *data) {
  (void)data;
  return experiment->name_length == 0;
}

static void read_value(remora_value value) {
  char text[128];
  const char *string = NULL;
  size_t length;
  int64_t number;
  double real;
  remora_bool truth;
  remora_value member;
  remora_value_get_bool(value, &truth, NULL);
  remora_value_get_int(value, &number, NULL);
  remora_value_get_double(value, &real, NULL);
  remora_value_get_string(value, &string, &length, NULL);
  remora_value_get_url(value, &string, &length, NULL);
  remora_value_get_json(value, text, sizeof text, &length, NULL);
  remora_value_record_fields(value, text, sizeof text, &length, NULL);
  remora_value_member(value, "n", &member, NULL);
  remora_value_resolve(value, "/n", &member, NULL);
  if (remora_value_count(value) > 0) remora_value_item(value, 0, &string, &length, &member, NULL);
}

static void read_snapshot(const remora_snapshot *snapshot) {
  char text[128];
  const char *string = NULL;
  size_t length;
  int64_t number;
  double real;
  remora_bool truth;
  remora_origin origin;
  remora_value value;
  remora_experiment experiment;
  remora_snapshot_info info;
  REMORA_INIT(&experiment);
  REMORA_INIT(&info);
  remora_snapshot_get_info(snapshot, &info, NULL);
  remora_snapshot_get_bool(snapshot, "a", "/n", &truth, NULL);
  remora_snapshot_get_int(snapshot, "a", "/n", &number, NULL);
  remora_snapshot_get_double(snapshot, "a", "/n", &real, NULL);
  remora_snapshot_get_string(snapshot, "a", "/n", &string, &length, NULL);
  remora_snapshot_get_url(snapshot, "a", "/n", &string, &length, NULL);
  remora_snapshot_get_json(snapshot, "a", NULL, text, sizeof text, &length, NULL);
  remora_snapshot_get_origin(snapshot, "a", &origin, NULL);
  remora_experiment_find(snapshot, "a", &experiment, NULL);
  remora_experiment_foreach(snapshot, visit_experiment, NULL, NULL);
  if (remora_snapshot_get(snapshot, "a", NULL, &value, NULL) == REMORA_OK) read_value(value);
  if (remora_snapshot_get_n(snapshot, "limits", 6, "", 0, &value, NULL) == REMORA_OK) read_value(value);
  if (remora_snapshot_count(snapshot) > 0) remora_snapshot_item(snapshot, 0, &string, &length, &value, NULL);
}

void use_snapshot(void) {
  slot *place = any_of(snapshots, SNAPSHOTS);
  slot *other_place = any_of(snapshots, SNAPSHOTS);
  remora_snapshot *snapshot = slot_use(place);
  remora_snapshot *other = slot_use(other_place);
  if (snapshot) {
    remora_snapshot_release(remora_snapshot_retain(snapshot));
    read_snapshot(snapshot);
    if (other) remora_snapshot_diff(snapshot, other, visit_change, NULL, NULL);
    slot_leave(place);
  }
  if (other) slot_leave(other_place);
}

void use_attachment(void) {
  slot *place = any_of(attachments, ATTACHMENTS);
  remora_attachment *attachment = slot_use(place);
  if (!attachment) return;
  remora_attachment_release(remora_attachment_retain(attachment));
  if (remora_attachment_size(attachment) > 0 && !remora_attachment_data(attachment))
    chaos_fault("an attachment has no data");
  remora_attachment_path(attachment);
  slot_leave(place);
}

static void read_request(const remora_http_request *request, void *user_data) {
  if (request->id != 0 || strcmp(user_data, "seed") != 0) chaos_fault("a seed's request has an id or other user data");
}

void use_no_handle(void) {
  char user_data[] = "seed";
  remora_config config;
  remora_seed_options seed;
  remora_settings_options settings;
  REMORA_INIT(&config);
  REMORA_INIT(&seed);
  REMORA_INIT(&settings);
  config.storage_dir = chaos_directory;
  settings.url = "http://127.0.0.1:1/settings.json";
  seed.settings = &settings;
  remora_clock_changed();
  remora_seed_request(&config, &seed, read_request, user_data, NULL);
  /* Fails: the file does not exist. */
  if (remora_seed_save(&config, &seed, "/nonexistent", NULL) == REMORA_OK) chaos_fault("a missing file was saved");
}
