// SPDX-License-Identifier: Apache-2.0
//
// The time of an asynchronous wait with its own request, and of a thousand waits that share one request. The server
// answers when all of them wait, with new settings each time. In turn within one process; the requests are counted.
//
// Prints processor and wall time per wait, from the first call until the last callback; the processor time is this
// process's without the server's.

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "host.h"
#include "loopback.h"
#include "measure.h"

namespace {

constexpr unsigned many = 1000;
constexpr int repetitions = 9;
constexpr int alone_batch = 100;

// A counter that threads can wait for.
class Counter {
 public:
  void add() {
    std::lock_guard<std::mutex> hold(lock_);
    count_++;
    changed_.notify_all();
  }
  void await(unsigned count) {
    std::unique_lock<std::mutex> hold(lock_);
    changed_.wait(hold, [&] { return count_ >= count; });
  }
  unsigned count() {
    std::lock_guard<std::mutex> hold(lock_);
    return count_;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  unsigned count_ = 0;
};

// Answers request number N after the gate was opened N times.
struct Gate {
  Counter asked;
  Counter opened;
  std::string body;
};

void answer_held(const loopback_request *, loopback_answer *answer, void *user_data) {
  Gate *gate = static_cast<Gate *>(user_data);
  gate->asked.add();
  gate->opened.await(gate->asked.count());
  gate->body = "{\"n\":" + std::to_string(gate->asked.count()) + "}";
  answer->status = 200;
  answer->body = gate->body.c_str();
  answer->size = gate->body.size();
}

void on_result(const remora_result *result, void *user_data) {
  if (result->status != REMORA_OK)
    fail("a wait failed with %s: %s", remora_status_name(result->status), result->error->message);
  static_cast<Counter *>(user_data)->add();
}

void wait_together(const host &opened, Gate *gate, unsigned waiters) {
  Counter ended;
  remora_error error = {};
  unsigned before = gate->asked.count();
  for (unsigned i = 0; i < waiters; i++)
    if (remora_await_async(opened.source, nullptr, -1, on_result, &ended, nullptr, nullptr, &error) != REMORA_OK)
      fail("remora_await_async: %s", error.message);
  gate->opened.add();
  ended.await(waiters);
  if (gate->asked.count() != before + 1) fail("%u waits sent %u requests", waiters, gate->asked.count() - before);
}

struct Cost {
  std::vector<double> wall;
  std::vector<double> cpu;
};

void measure(const host &opened, loopback *server, Gate *gate, unsigned waiters, int batch, Cost *cost) {
  double wall = wall_ns();
  double cpu = process_cpu_ns() - loopback_cpu_ns(server);
  for (int i = 0; i < batch; i++) wait_together(opened, gate, waiters);
  cost->cpu.push_back((process_cpu_ns() - loopback_cpu_ns(server) - cpu) / batch / waiters);
  cost->wall.push_back((wall_ns() - wall) / batch / waiters);
}

} // namespace

int main() {
  Gate gate;
  loopback *server = loopback_start(answer_held, &gate);
  std::string url = "http://127.0.0.1:" + std::to_string(loopback_port(server)) + "/settings";
  host opened = host_open_settings(REMORA_STORAGE_MEMORY, url.c_str(), "waits");
  wait_together(opened, &gate, 1); // starts threads and opens the connection

  Cost alone;
  Cost together;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    measure(opened, server, &gate, 1, alone_batch, &alone);
    measure(opened, server, &gate, many, 1, &together);
  }
  double each = median(together.wall.data(), together.wall.size());
  emit("remora.waits.1.wall", median(alone.wall.data(), alone.wall.size()));
  emit("remora.waits.1.cpu", median(alone.cpu.data(), alone.cpu.size()));
  emit("remora.waits.1000.wall", each);
  emit("remora.waits.1000.cpu", median(together.cpu.data(), together.cpu.size()));
  emit("remora.waits.1000.together", each * many);
  host_close(opened);
  loopback_stop(server);
}
