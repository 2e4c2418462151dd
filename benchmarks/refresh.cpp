// SPDX-License-Identifier: Apache-2.0
//
// What a refresh costs from a loopback server: a changed document and an unchanged one,
// for Remora and for the rival, beside the bare limits: jansson's parse and free of the
// same bytes, a bare libcurl 304, a bare store of as many bytes with its two fsyncs.
//
// Usage: refresh SCRATCH_DIR. Prints <what>.{wall,cpu} in nanoseconds; the processor
// time is this process's without the server's.

#include <curl/curl.h>
#include <jansson.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host.h"
#include "measure.h"
#include "rival.hpp"
#include "settings_server.h"
#include "store.h"

namespace {

constexpr std::size_t setting_count = 10000;
constexpr int changed_repetitions = 7;
constexpr int unchanged_repetitions = 9;
constexpr int unchanged_batch = 20;

struct Contender {
  std::string name;
  std::function<void()> prepare; // not measured
  std::function<void()> run;
  std::vector<double> wall{};
  std::vector<double> cpu{};
};

// Runs the contenders in turn, `batch` times each per repetition, and prints the medians of one run.
void compare(const settings_server *server, std::vector<Contender> contenders, int repetitions, int batch) {
  for (int repetition = -1; repetition < repetitions; repetition++)
    for (Contender &one : contenders) {
      one.prepare();
      double wall = wall_ns();
      double cpu = settings_server_client_cpu_ns(server);
      for (int i = 0; i < batch; i++) one.run();
      double cpu_used = settings_server_client_cpu_ns(server) - cpu;
      double wall_used = wall_ns() - wall;
      if (repetition < 0) continue; // makes the connection
      one.wall.push_back(wall_used / batch);
      one.cpu.push_back(cpu_used / batch);
    }
  for (Contender &one : contenders) {
    emit((one.name + ".wall").c_str(), median(one.wall.data(), one.wall.size()));
    emit((one.name + ".cpu").c_str(), median(one.cpu.data(), one.cpu.size()));
  }
}

void nothing() {}

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
      fail("record %zu is not read", i);
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
  compare(server,
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
          changed_repetitions, 1);
  host_expect_count(&disk, setting_count);
  emit("body.bytes", static_cast<double>(size));
  host_close(disk);
  host_close(memory);
  settings_server_stop(server);
  workload_free(settings);
}

std::size_t discard(char *, std::size_t size, std::size_t count, void *) { return size * count; }

// One conditional GET on a kept connection, and nothing else.
class BareCurl {
 public:
  explicit BareCurl(const char *url) : curl_(curl_easy_init()) {
    headers_ = curl_slist_append(nullptr, "If-None-Match: \"constant\"");
    if (!curl_ || !headers_) fail("libcurl cannot start");
    curl_easy_setopt(curl_, CURLOPT_URL, url);
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  }
  ~BareCurl() {
    curl_easy_cleanup(curl_);
    curl_slist_free_all(headers_);
  }
  BareCurl(const BareCurl &) = delete;
  BareCurl &operator=(const BareCurl &) = delete;

  void get_unchanged() {
    long status = 0;
    if (curl_easy_perform(curl_) == CURLE_OK) curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    if (status != 304) fail("the bare request is answered with %ld", status);
  }

 private:
  CURL *curl_;
  curl_slist *headers_ = nullptr;
};

void run_unchanged(const std::string &scratch, std::size_t count) {
  std::string name = std::to_string(count);
  workload *settings = workload_create(count);
  settings_server *server = settings_server_start(settings, WORKLOAD_BOOL);
  host remora = host_open((scratch + "/unchanged-" + name).c_str(), settings_server_url(server), nullptr, 0);
  host_refresh(&remora, REMORA_OUTCOME_UPDATED);
  rival::Settings rival(rival::Shape::records, settings_server_constant_url(server), "");
  if (rival.refresh() != rival::Outcome::updated) fail("the rival cannot refresh");
  BareCurl bare(settings_server_constant_url(server));
  compare(server,
          {
              {"remora.unchanged." + name, nothing, [&] { host_refresh(&remora, REMORA_OUTCOME_UNCHANGED); }},
              {"curl.unchanged." + name, nothing, [&] { bare.get_unchanged(); }},
              {"rival.unchanged." + name, nothing,
               [&] {
                 if (rival.refresh() != rival::Outcome::unchanged) fail("the rival is not answered with 304");
               }},
          },
          unchanged_repetitions, unchanged_batch);
  host_close(remora);
  settings_server_stop(server);
  workload_free(settings);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: refresh SCRATCH_DIR");
  curl_global_init(CURL_GLOBAL_DEFAULT);
  run_changed(argv[1]);
  for (std::size_t count : {std::size_t{1000}, setting_count, std::size_t{100000}}) run_unchanged(argv[1], count);
  curl_global_cleanup();
}
