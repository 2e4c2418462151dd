// SPDX-License-Identifier: Apache-2.0
//
// Reads of a source of 10,000 settings while a sync hangs, because the server received the request and does not answer.
// For comparison, the same reads without a sync, in turn within one process.
//
// Prints processor time per read of one reading thread.

#include <cstdlib>
#include <string>
#include <vector>

#include "host.h"
#include "readers.hpp"
#include "settings_server.h"

namespace {

constexpr std::size_t setting_count = 10000;
constexpr int repetitions = 9;
constexpr std::size_t passes = 20;

// A sync that only a cancel ends.
class HangingSync {
 public:
  HangingSync(const host &opened, const settings_server *server) {
    unsigned before = settings_server_waiting(server);
    remora_error error = {};
    if (remora_sync_async(opened.client, nullptr, -1, nullptr, nullptr, nullptr, &request_, &error) != REMORA_OK)
      fail("remora_sync_async: %s", error.message);
    double deadline = wall_ns() + 10e9;
    while (settings_server_waiting(server) == before)
      if (wall_ns() > deadline) fail("the sync sends no request");
  }
  ~HangingSync() {
    remora_request_cancel(request_);
    remora_request_release(request_);
  }
  HangingSync(const HangingSync &) = delete;
  HangingSync &operator=(const HangingSync &) = delete;

 private:
  remora_request *request_ = nullptr;
};

double cost_of(const bench::Pass &pass) {
  return bench::cost_of_reads(pass, setting_count, 1, [](std::size_t done) { return done >= passes; }).cpu_ns;
}

} // namespace

int main() {
  workload *settings = workload_create(setting_count);
  settings_server *server = settings_server_start(settings, WORKLOAD_BOOL);
  host opened = host_open(REMORA_STORAGE_MEMORY, settings_server_url(server), nullptr, 0);
  host_refresh(&opened, REMORA_OUTCOME_UPDATED);
  host_expect_count(&opened, setting_count);
  settings_server_hang(server);

  std::vector<const char *> keys(settings->reads, settings->reads + settings->count);
  bench::Pass pass =
      bench::pass_over(keys, [&](const char *key) { return remora_get_bool(opened.source, key, HOST_POINTER, 0); });
  std::vector<double> alone;
  std::vector<double> beside;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    alone.push_back(cost_of(pass));
    HangingSync sync(opened, server);
    beside.push_back(cost_of(pass));
  }
  emit("remora.source.idle.1t", median(alone.data(), alone.size()));
  emit("remora.source.hanging.1t", median(beside.data(), beside.size()));
  host_close(opened);
  settings_server_stop(server);
  workload_free(settings);
}
