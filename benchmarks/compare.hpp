// SPDX-License-Identifier: Apache-2.0
//
// Runs contenders in turn within one process, and prints the median times of each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure.h"

struct Contender {
  std::string name;
  std::function<void()> prepare; // not measured
  std::function<void()> run;
  std::vector<double> wall{};
  std::vector<double> cpu{};
};

inline void nothing() {}

// Runs the contenders in turn, `batch` times each per repetition. Prints <name>.{wall,cpu}: the medians of one run in
// nanoseconds. `client_cpu` returns the processor time of this process without its servers.
inline void compare(const std::function<double()> &client_cpu, std::vector<Contender> contenders, int repetitions,
                    int batch) {
  for (int repetition = -1; repetition < repetitions; repetition++)
    for (Contender &one : contenders) {
      one.prepare();
      double wall = wall_ns();
      double cpu = client_cpu();
      for (int i = 0; i < batch; i++) one.run();
      double cpu_used = client_cpu() - cpu;
      double wall_used = wall_ns() - wall;
      if (repetition < 0) continue; // opens the connection
      one.wall.push_back(wall_used / batch);
      one.cpu.push_back(cpu_used / batch);
    }
  for (Contender &one : contenders) {
    emit((one.name + ".wall").c_str(), median(one.wall.data(), one.wall.size()));
    emit((one.name + ".cpu").c_str(), median(one.cpu.data(), one.cpu.size()));
  }
}
