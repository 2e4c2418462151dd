// SPDX-License-Identifier: Apache-2.0
//
// One cold start of a host with the hand-rolled rival: load the cached JSON file, first
// value, exit. Prints the nanoseconds from the start of loading to the value.
//
// Usage: cold_rival FILE KEY EXPECTED(0 or 1)

#include <cstdlib>
#include <string>

#include "measure.h"
#include "rival.hpp"

int main(int argc, char **argv) {
  if (argc != 4) fail("usage: cold_rival FILE KEY EXPECTED");
  bool expected = std::atoi(argv[3]) != 0;
  double begin = wall_ns();
  rival::Settings settings(rival::Shape::flat, "", argv[1]);
  bool loaded = settings.load();
  bool value = settings.get_bool(argv[2], !expected);
  double end = wall_ns();
  if (!loaded || value != expected) fail("the file has another value");
  emit("first", end - begin);
  std::_Exit(0); // like a host, which does not free its settings at exit
}
