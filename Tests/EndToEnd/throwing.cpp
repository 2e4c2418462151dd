// SPDX-License-Identifier: Apache-2.0

// A host in C++ that loads the library with its symbols visible to all, and throws in threads before and afterwards.
// The library has a C++ runtime of its own, which must have no part in the exceptions of the host: throwing LIBRARY
#include <dlfcn.h>

#include <atomic>
#include <exception>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 8;
constexpr int throws = 500;

struct cleanup {
  std::atomic<int> &count;
  ~cleanup() { count++; }
};

void descend(int depth, const std::function<void()> &bottom) {
  if (depth > 0) return descend(depth - 1, bottom);
  bottom();
}

// How many exceptions arrive with their text, by value, by rethrow and by std::exception_ptr.
int caught(int thread, std::atomic<int> &cleaned) {
  int count = 0;
  for (int i = 0; i < throws; i++) {
    std::ostringstream text;
    text << thread << ":" << i;
    std::exception_ptr kept;
    try {
      const cleanup guard{cleaned};
      descend(i % 20, [&] { throw std::runtime_error(text.str()); });
    } catch (...) {
      kept = std::current_exception();
    }
    try {
      std::rethrow_exception(kept);
    } catch (const std::runtime_error &error) {
      count += error.what() == text.str();
    }
  }
  return count;
}

bool all_are_caught() {
  std::atomic<int> count{0}, cleaned{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; i++) threads.emplace_back([&, i] { count += caught(i, cleaned); });
  for (std::thread &thread : threads) thread.join();
  return count == thread_count * throws && cleaned == thread_count * throws;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (!all_are_caught()) return 3;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::cerr << dlerror() << "\n";
    return 4;
  }
  const auto version = reinterpret_cast<const char *(*)()>(dlsym(library, "remora_version"));
  if (version == nullptr || std::string(version()).empty()) return 5;
  if (!all_are_caught()) return 6;
  std::cout << "caught\n";
}
