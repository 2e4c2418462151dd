// SPDX-License-Identifier: Apache-2.0
//
// Two threads read a source of 10,000 settings while a third publishes, up to 100 times
// a second, against one thread that reads alone. Each publication is a refresh from a
// loopback server: for Remora a diff of ten records, for the rival the whole document.
//
// Prints processor time per read of a reading thread (the three threads may share fewer
// processors), wall time, and the number of publications per second.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "host.h"
#include "readers.hpp"
#include "rival.hpp"
#include "settings_server.h"

namespace {

constexpr std::size_t setting_count = 10000;
constexpr double seconds = 0.4;
constexpr auto period = std::chrono::milliseconds(10);

bench::Cost read_for_a_while(const bench::Pass &pass, unsigned threads) {
  double end = wall_ns() + seconds * 1e9;
  return bench::cost_of_reads(pass, setting_count, threads, [end](std::size_t) { return wall_ns() >= end; });
}

void run(const std::string &name, const bench::Pass &pass, const std::function<void()> &publish) {
  publish(); // opens connections and loads libraries
  emit((name + ".alone.1t").c_str(), read_for_a_while(pass, 1).cpu_ns);

  std::atomic<bool> stop{false};
  std::size_t published = 0;
  double begin = wall_ns();
  std::thread publisher([&] {
    auto next = std::chrono::steady_clock::now();
    while (!stop) {
      publish();
      published++;
      next += period;
      if (next < std::chrono::steady_clock::now()) next = std::chrono::steady_clock::now();
      std::this_thread::sleep_until(next);
    }
  });
  bench::Cost cost = read_for_a_while(pass, 2);
  stop = true;
  publisher.join();
  emit((name + ".publishing.2t").c_str(), cost.cpu_ns);
  emit((name + ".publishing.wall.2t").c_str(), cost.wall_ns);
  emit((name + ".publishing.rate").c_str(), static_cast<double>(published) / ((wall_ns() - begin) / 1e9));
}

} // namespace

int main() {
  workload *settings = workload_create(setting_count);
  settings_server *server = settings_server_start(settings, WORKLOAD_BOOL);
  std::vector<const char *> keys(settings->reads, settings->reads + settings->count);
  std::vector<std::string> rival_keys(keys.begin(), keys.end());

  std::size_t size;
  char *packaged = workload_records(settings, WORKLOAD_BOOL, "data", setting_count, 0, &size);
  host remora = host_open(REMORA_STORAGE_MEMORY, settings_server_url(server), packaged, size);
  std::free(packaged);
  host_expect_count(&remora, setting_count);
  settings_server_set_diff(server, DIFF_FEW);
  run("remora.source",
      bench::pass_over(keys, [&](const char *key) { return remora_get_bool(remora.source, key, HOST_POINTER, 0); }),
      [&] { host_refresh(&remora, REMORA_OUTCOME_UPDATED); });
  host_close(remora);

  rival::Settings rival(rival::Shape::records, settings_server_changing_url(server), "");
  run("rival.record",
      bench::pass_over(rival_keys, [&](const std::string &key) { return rival.get_bool(key, HOST_MEMBER, false); }),
      [&] {
        if (rival.refresh() != rival::Outcome::updated) fail("the rival cannot refresh");
      });
  settings_server_stop(server);
  workload_free(settings);
}
