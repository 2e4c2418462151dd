// SPDX-License-Identifier: Apache-2.0

// What the tests of the C++ API share: the runner and the server of the C tests, sample data, and waits with a
// deadline.
#ifndef SUPPORT_HPP
#define SUPPORT_HPP

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <remora.hpp>

extern "C" {
#include "check.h"
#include "loopback.h"
}

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// The library itself is not built with a sanitizer, so waits need no more than this.
inline constexpr std::chrono::milliseconds deadline = 10s;

// Where no server is: for tests that send nothing.
inline constexpr const char *no_server = "http://127.0.0.1:1";

// Packaged data of the records "flags", "limits", "texts" and "tree".
inline const std::string sample =
    R"({"data":[{"id":"flags","last_modified":1000,"on":true,"off":false,"nothing":null},)"
    R"({"id":"limits","last_modified":999,"int":7,"zero":0,"min":-9223372036854775808,"half":3.5},)"
    R"({"id":"texts","last_modified":998,"plain":"hello","empty":"","nul":"a\u0000b","url":"https://a.example/b"},)"
    R"({"id":"tree","last_modified":997,"list":[10,"ten",null],"inner":{"a":1,"b":{"c":2}}}],"timestamp":1000})";

inline void check_equal(std::string_view expected, std::string_view actual, const char *text, const char *file,
                        int line) {
  check_text(std::string(expected).c_str(), std::string(actual).c_str(), text, file, line);
}

// As CHECK, CHECK_INT and CHECK_TEXT, for types of C++.
#undef CHECK
#define CHECK(...) check_that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_VIEW(expected, actual) check_equal((expected), (actual), #actual, __FILE__, __LINE__)
#define CHECK_SIZE(expected, actual) CHECK_INT((expected), static_cast<std::int64_t>(actual))
#define CHECK_SAME(expected, actual) CHECK((actual) == (expected))

// Runs a statement, and compares the code of the exception that it throws; no exception is code 0.
#define CHECK_THROWS(expected, ...)                                    \
  do {                                                                 \
    std::error_code thrown;                                            \
    try {                                                              \
      __VA_ARGS__;                                                     \
    } catch (const remora::error &caught) {                            \
      thrown = caught.code();                                          \
    }                                                                  \
    CHECK_VIEW(make_error_code(expected).message(), thrown.message()); \
  } while (0)

// A count that threads wait for.
class counter {
 public:
  void add() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  int count() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return count_;
  }
  bool await(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, deadline, [&] { return count_ >= count; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

// Counts the end of a callable that captures it. It cannot be copied, and a moved-from one does not count.
class end_counter {
 public:
  explicit end_counter(counter &ends) : ends_(&ends) {}
  end_counter(end_counter &&other) noexcept : ends_(std::exchange(other.ends_, nullptr)) {}
  end_counter &operator=(end_counter &&) = delete;
  ~end_counter() {
    if (ends_ != nullptr) ends_->add();
  }

 private:
  counter *ends_;
};

// A server on loopback.
class local_server {
 public:
  local_server() : raw_(loopback_start()) {}
  local_server(const local_server &) = delete;
  local_server &operator=(const local_server &) = delete;
  ~local_server() { loopback_stop(raw_); }
  loopback *get() const { return raw_; }
  const char *url() const { return loopback_url(raw_); }
  std::string last_head() const {
    char head[2048];
    loopback_last_head(raw_, head, sizeof head);
    return head;
  }

 private:
  loopback *raw_;
};

// A configuration that keeps everything in memory.
inline remora::config in_memory(const char *server = no_server) {
  remora::config config(remora::storage_memory);
  config.server = server;
  return config;
}

// A collection that is not verified, with packaged data or without any. The data must exist until it was opened.
inline remora::collection_options unsigned_collection(const char *name = "sample",
                                                      const std::string *packaged = nullptr) {
  remora::collection_options options(name);
  options.trust = remora::trust::off;
  if (packaged != nullptr) options.packaged_data = *packaged;
  return options;
}

// A client in memory, and a collection that has the sample as packaged data.
struct local_scene {
  remora::client client{in_memory()};
  remora::source source{client.open_collection(unsigned_collection("sample", &sample))};
};

// The same with a server on loopback, and without packaged data.
struct served_scene {
  local_server server;
  remora::client client{in_memory(server.url())};
  remora::source source{client.open_collection(unsigned_collection())};
};

// A new directory, which is removed with its content.
class temporary_directory {
 public:
  temporary_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "remora-cpp-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  temporary_directory(const temporary_directory &) = delete;
  temporary_directory &operator=(const temporary_directory &) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

#endif // SUPPORT_HPP
