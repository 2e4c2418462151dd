// SPDX-License-Identifier: Apache-2.0
//
// Runs reading threads, and measures the time of one read in each.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "measure.h"

namespace bench {

// Reads every key once.
using Pass = std::function<void()>;

template <class Keys, class Read>
Pass pass_over(const Keys &keys, Read read) {
  return [&keys, read] {
    std::uint64_t sum = 0;
    for (const auto &key : keys) sum += static_cast<std::uint64_t>(read(key));
    keep(sum);
  };
}

struct Cost {
  double cpu_ns;  // per read, of the thread
  double wall_ns; // per read, including the time of other threads
};

// Pins this thread to one processor, `number` modulo those allowed, so that the threads run
// at the same time.
inline void stay_on_processor(unsigned number) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  unsigned wanted = number % static_cast<unsigned>(CPU_COUNT(&allowed));
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed) || wanted-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    return;
  }
}

// Runs `pass` on each of `threads` threads at once until `enough(passes done)`. Returns the mean of the threads.
inline Cost cost_of_reads(const Pass &pass, std::size_t reads_per_pass, unsigned threads,
                          const std::function<bool(std::size_t)> &enough) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, threads);
  std::vector<Cost> costs(threads);
  std::vector<std::thread> running;
  for (unsigned number = 0; number < threads; number++)
    running.emplace_back([&, number] {
      if (threads > 1) stay_on_processor(number);
      pass();
      pthread_barrier_wait(&barrier);
      double cpu = thread_cpu_ns();
      double wall = wall_ns();
      std::size_t passes = 0;
      do pass();
      while (!enough(++passes));
      double reads = static_cast<double>(passes * reads_per_pass);
      costs[number] = {(thread_cpu_ns() - cpu) / reads, (wall_ns() - wall) / reads};
    });
  for (std::thread &thread : running) thread.join();
  pthread_barrier_destroy(&barrier);
  Cost mean = {0, 0};
  for (const Cost &cost : costs) {
    mean.cpu_ns += cost.cpu_ns / threads;
    mean.wall_ns += cost.wall_ns / threads;
  }
  return mean;
}

} // namespace bench
