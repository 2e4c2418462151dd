// SPDX-License-Identifier: Apache-2.0
//
// The hand-written rival: what a good engineer writes in a day with libcurl, jansson and
// a read-write lock. A dictionary from key to value, loaded from a cached JSON file,
// read by type under the read lock, refreshed by a conditional GET that parses outside
// the lock and swaps inside it.
#pragma once

#include <curl/curl.h>
#include <jansson.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>

namespace rival {

struct JsonRelease {
  void operator()(json_t *json) const { json_decref(json); }
};
using Json = std::unique_ptr<json_t, JsonRelease>;

// Scalars are stored by value; arrays and objects stay jansson's.
using Value = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Json>;
using Dictionary = std::unordered_map<std::string, Value>;

// Flat: {"key": value}. Records: {"data" or "changes": [{"id": key, …}]}, key to record.
enum class Shape { flat, records };

enum class Outcome { updated, unchanged, failed };

class Settings {
 public:
  // With an empty `cache_path`, nothing is stored on disk.
  Settings(Shape shape, std::string url, std::string cache_path);
  ~Settings();
  Settings(const Settings &) = delete;
  Settings &operator=(const Settings &) = delete;

  // Loads the cached file. Returns false if it is missing or damaged.
  bool load();
  // Replaces the values by a document. Returns false if it is not JSON of the shape.
  bool replace(const char *text, std::size_t size);
  // One conditional GET; keeps the connection. One caller at a time.
  Outcome refresh();

  bool get_bool(const std::string &key, bool fallback) const;
  std::string get_string(const std::string &key, const std::string &fallback) const;
  // The member of the object stored under the key.
  bool get_bool(const std::string &key, const char *member, bool fallback) const;
  std::string get_string(const std::string &key, const char *member, const std::string &fallback) const;

 private:
  bool save(const std::string &body) const;
  json_t *member_of(const std::string &key, const char *member) const;

  const Shape shape_;
  const std::string url_;
  const std::string cache_path_;
  mutable pthread_rwlock_t lock_; // guards values_
  Dictionary values_;
  CURL *curl_ = nullptr; // of the refreshing thread, like etag_
  std::string etag_;
};

} // namespace rival
