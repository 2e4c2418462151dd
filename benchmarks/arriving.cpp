// SPDX-License-Identifier: Apache-2.0
//
// The time of a refresh of 12.8 MB that arrive as slowly as they are decoded, beside the longer of the two: the time of
// the same refresh when the body arrives at once.
//
// Usage: arriving SCRATCH_DIR. Prints <what>.{wall,cpu} in nanoseconds.

#include <cstddef>
#include <string>

#include "compare.hpp"
#include "host.h"
#include "measure.h"
#include "settings_server.h"

namespace {

constexpr int repetitions = 5;

// Returns the median time of a refresh whose body arrives at once.
double decoding_time(const host &opened) {
  double times[repetitions];
  for (double &time : times) {
    host_reset(&opened);
    double begin = wall_ns();
    host_refresh(&opened, REMORA_OUTCOME_UPDATED);
    time = wall_ns() - begin;
  }
  return median(times, repetitions);
}

} // namespace

int main(int argc, char **) {
  if (argc != 2) fail("usage: arriving SCRATCH_DIR");
  workload *settings = workload_create(WORKLOAD_NESTED_LARGE);
  settings_server *server = settings_server_start(settings, WORKLOAD_NESTED);
  std::size_t size;
  settings_server_body(server, &size);
  host memory = host_open(REMORA_STORAGE_MEMORY, settings_server_url(server), nullptr, 0);
  host_refresh(&memory, REMORA_OUTCOME_UPDATED);
  double pace = decoding_time(memory) / static_cast<double>(size);

  auto prepare = [&](double ns_per_byte) {
    return [&, ns_per_byte] {
      host_reset(&memory);
      settings_server_set_pace(server, ns_per_byte);
    };
  };
  auto refresh = [&] { host_refresh(&memory, REMORA_OUTCOME_UPDATED); };
  compare([server] { return settings_server_client_cpu_ns(server); },
          {{"remora.at_once", prepare(0), refresh}, {"remora.arriving", prepare(pace), refresh}}, repetitions, 1);
  host_close(memory);
  settings_server_stop(server);
  workload_free(settings);
}
