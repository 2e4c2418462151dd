// SPDX-License-Identifier: Apache-2.0
//
// The time of a refresh of a changed document from a loopback server, for Remora and for the rival, with two lower
// limits: jansson's parse and free of the same bytes, and a bare store of as many bytes with two fsyncs.
//
// Usage: refresh SCRATCH_DIR. Prints <what>.{wall,cpu} in nanoseconds; the processor
// time is this process's without the server's.

#include <curl/curl.h>
#include <jansson.h>

#include <cstdint>
#include <string>

#include "compare.hpp"
#include "host.h"
#include "measure.h"
#include "rival.hpp"
#include "settings_server.h"
#include "store.h"

namespace {

constexpr std::size_t setting_count = 10000;
constexpr int repetitions = 7;

void parse_and_free(const char *text, std::size_t size) {
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, nullptr);
  if (!root) fail("jansson refuses the document");
  json_decref(root);
}

// Every record of the live snapshot in order, with its value.
void walk(const host &opened) {
  remora_snapshot *snapshot = nullptr;
  if (remora_snapshot_acquire(opened.source, 0, &snapshot, nullptr) != REMORA_OK) fail("no snapshot");
  std::size_t count = remora_snapshot_count(snapshot);
  std::uint64_t sum = count;
  for (std::size_t i = 0; i < count; i++) {
    remora_value record;
    remora_value member;
    std::int32_t value = 0;
    if (remora_snapshot_item(snapshot, i, nullptr, nullptr, &record, nullptr) != REMORA_OK ||
        remora_value_member(record, HOST_MEMBER, &member, nullptr) != REMORA_OK ||
        remora_value_get_bool(member, &value, nullptr) != REMORA_OK)
      fail("record %zu has no value", i);
    sum += static_cast<std::uint64_t>(value);
  }
  keep(sum);
  remora_snapshot_release(snapshot);
}

void run_changed(const std::string &scratch) {
  workload *settings = workload_create(setting_count);
  settings_server *server = settings_server_start(settings, WORKLOAD_BOOL);
  std::size_t size;
  const char *body = settings_server_body(server, &size);
  host disk = host_open((scratch + "/changed").c_str(), settings_server_url(server), nullptr, 0);
  host memory = host_open(REMORA_STORAGE_MEMORY, settings_server_url(server), nullptr, 0);
  host_refresh(&disk, REMORA_OUTCOME_UPDATED);
  host_refresh(&memory, REMORA_OUTCOME_UPDATED);
  rival::Settings rival(rival::Shape::records, settings_server_changing_url(server), scratch + "/rival.json");

  auto refresh = [](const host &opened) { return [&opened] { host_refresh(&opened, REMORA_OUTCOME_UPDATED); }; };
  auto reset = [](const host &opened) { return [&opened] { host_reset(&opened); }; };
  auto serve = [server](settings_diff diff) { return [=] { settings_server_set_diff(server, diff); }; };
  compare([server] { return settings_server_client_cpu_ns(server); },
          {
              {"remora.whole.disk", reset(disk), refresh(disk)},
              {"rival.whole", nothing,
               [&] {
                 if (rival.refresh() != rival::Outcome::updated) fail("the rival cannot refresh");
               }},
              {"remora.walk", nothing, [&] { walk(disk); }},
              {"jansson.whole", nothing, [=] { parse_and_free(body, size); }},
              {"remora.whole.memory", reset(memory), refresh(memory)},
              {"bare.store", nothing, [&] { store(scratch.c_str(), "bare", body, size); }},
              {"remora.every_record.disk", serve(DIFF_ALL), refresh(disk)},
              {"remora.every_record.memory", serve(DIFF_ALL), refresh(memory)},
              {"remora.ten_records.disk", serve(DIFF_FEW), refresh(disk)},
              {"remora.ten_records.memory", serve(DIFF_FEW), refresh(memory)},
          },
          repetitions, 1);
  host_expect_count(&disk, setting_count);
  emit("image.bytes", static_cast<double>(host_image_size((scratch + "/changed").c_str())));
  emit("body.bytes", static_cast<double>(size));
  host_close(disk);
  host_close(memory);
  settings_server_stop(server);
  workload_free(settings);
}

// A dictionary of settings, which is read member by member.
void run_flat(const std::string &scratch) {
  workload *settings = workload_create(setting_count);
  settings_server *server = settings_server_start(settings, WORKLOAD_BOOL);
  std::size_t size;
  const char *body = settings_server_flat_body(server, &size);
  host disk = host_open_settings((scratch + "/flat").c_str(), settings_server_flat_url(server), nullptr);
  compare([server] { return settings_server_client_cpu_ns(server); },
          {
              {"remora.flat.disk", nothing, [&] { host_refresh(&disk, REMORA_OUTCOME_UPDATED); }},
              {"jansson.flat", nothing, [=] { parse_and_free(body, size); }},
          },
          repetitions, 1);
  host_expect_count(&disk, setting_count);
  host_close(disk);
  settings_server_stop(server);
  workload_free(settings);
}

// Realistic records: the whole document, and the stored image.
void run_realistic(const std::string &scratch, workload_kind kind, std::size_t count, const std::string &name) {
  workload *settings = workload_create(count);
  settings_server *server = settings_server_start(settings, kind);
  std::size_t size;
  const char *body = settings_server_body(server, &size);
  std::string folder = scratch + "/" + name;
  host disk = host_open(folder.c_str(), settings_server_url(server), nullptr, 0);
  host memory = host_open(REMORA_STORAGE_MEMORY, settings_server_url(server), nullptr, 0);
  host_refresh(&disk, REMORA_OUTCOME_UPDATED);
  host_refresh(&memory, REMORA_OUTCOME_UPDATED);
  compare([server] { return settings_server_client_cpu_ns(server); },
          {
              {"remora." + name + ".disk", [&] { host_reset(&disk); },
               [&] { host_refresh(&disk, REMORA_OUTCOME_UPDATED); }},
              {"jansson." + name, nothing, [=] { parse_and_free(body, size); }},
              {"remora." + name + ".memory", [&] { host_reset(&memory); },
               [&] { host_refresh(&memory, REMORA_OUTCOME_UPDATED); }},
          },
          repetitions, 1);
  host_expect_count(&disk, count);
  walk(disk);
  emit(("image." + name + ".bytes").c_str(), static_cast<double>(host_image_size(folder.c_str())));
  emit(("body." + name + ".bytes").c_str(), static_cast<double>(size));
  host_close(disk);
  host_close(memory);
  settings_server_stop(server);
  workload_free(settings);
}

// Six properties of a record.
constexpr const char *file_schema =
    R"({"type":"object","required":["v","name","attachment"],"properties":{"v":{"type":"boolean"},
        "name":{"type":"string","minLength":1},"fileType":{"enum":["model","lex","vocab"]},
        "version":{"type":"string"},"toLang":{"const":"en"},
        "attachment":{"type":"object","required":["hash","size"]}}})";

// 10,000 records, with and without a schema.
void run_checked() {
  workload *settings = workload_create(setting_count);
  settings_server *server = settings_server_start(settings, WORKLOAD_FILES);
  host plain = host_open(REMORA_STORAGE_MEMORY, settings_server_url(server), nullptr, 0);
  host checked = host_open_checked(REMORA_STORAGE_MEMORY, settings_server_url(server), file_schema);
  compare(
      [server] { return settings_server_client_cpu_ns(server); },
      {
          {"remora.checked", [&] { host_reset(&checked); }, [&] { host_refresh(&checked, REMORA_OUTCOME_UPDATED); }},
          {"remora.unchecked", [&] { host_reset(&plain); }, [&] { host_refresh(&plain, REMORA_OUTCOME_UPDATED); }},
      },
      repetitions, 1);
  host_expect_count(&checked, setting_count);
  host_close(plain);
  host_close(checked);
  settings_server_stop(server);
  workload_free(settings);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: refresh SCRATCH_DIR");
  curl_global_init(CURL_GLOBAL_DEFAULT);
  run_changed(argv[1]);
  run_flat(argv[1]);
  run_realistic(argv[1], WORKLOAD_NESTED, WORKLOAD_NESTED_SMALL, "nested_small");
  run_realistic(argv[1], WORKLOAD_NESTED, WORKLOAD_NESTED_LARGE, "nested_large");
  run_realistic(argv[1], WORKLOAD_FILES, WORKLOAD_FILES_SMALL, "files");
  run_checked();
  curl_global_cleanup();
}
