// SPDX-License-Identifier: Apache-2.0
//
// The hand-rolled rival; see rival.hpp.
#include "rival.hpp"

#include <strings.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

namespace rival {
namespace {

class ReadLock {
 public:
  explicit ReadLock(pthread_rwlock_t &lock) : lock_(lock) { pthread_rwlock_rdlock(&lock_); }
  ~ReadLock() { pthread_rwlock_unlock(&lock_); }
  ReadLock(const ReadLock &) = delete;
  ReadLock &operator=(const ReadLock &) = delete;

 private:
  pthread_rwlock_t &lock_;
};

Value to_value(json_t *json) {
  switch (json_typeof(json)) {
    case JSON_TRUE: return true;
    case JSON_FALSE: return false;
    case JSON_INTEGER: return static_cast<std::int64_t>(json_integer_value(json));
    case JSON_REAL: return json_real_value(json);
    case JSON_STRING: return std::string(json_string_value(json), json_string_length(json));
    case JSON_NULL: return nullptr;
    default: return Json(json_incref(json));
  }
}

std::optional<Dictionary> parse(Shape shape, const char *text, std::size_t size) {
  json_error_t error;
  Json root(json_loadb(text, size, JSON_REJECT_DUPLICATES, &error));
  if (!root || !json_is_object(root.get())) return std::nullopt;
  Dictionary values;
  if (shape == Shape::flat) {
    values.reserve(json_object_size(root.get()));
    const char *key;
    json_t *json;
    json_object_foreach(root.get(), key, json) values.emplace(key, to_value(json));
    return values;
  }
  json_t *list = json_object_get(root.get(), "changes");
  if (!list) list = json_object_get(root.get(), "data");
  if (!json_is_array(list)) return std::nullopt;
  values.reserve(json_array_size(list));
  std::size_t index;
  json_t *record;
  json_array_foreach(list, index, record) {
    const char *id = json_string_value(json_object_get(record, "id"));
    if (!id) return std::nullopt;
    values.emplace(id, Json(json_incref(record)));
  }
  return values;
}

std::size_t on_body(char *bytes, std::size_t size, std::size_t count, void *target) {
  static_cast<std::string *>(target)->append(bytes, size * count);
  return size * count;
}

std::size_t on_header(char *bytes, std::size_t size, std::size_t count, void *target) {
  constexpr char name[] = "etag:";
  constexpr std::size_t name_length = sizeof name - 1;
  std::size_t length = size * count;
  if (length > name_length && strncasecmp(bytes, name, name_length) == 0) {
    std::string value(bytes + name_length, length - name_length);
    std::size_t first = value.find_first_not_of(" \t");
    std::size_t last = value.find_last_not_of(" \t\r\n");
    if (first != std::string::npos) *static_cast<std::string *>(target) = value.substr(first, last - first + 1);
  }
  return length;
}

} // namespace

Settings::Settings(Shape shape, std::string url, std::string cache_path)
    : shape_(shape), url_(std::move(url)), cache_path_(std::move(cache_path)) {
  // With glibc's default, readers can starve the writer.
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock_, &attributes);
  pthread_rwlockattr_destroy(&attributes);
}

Settings::~Settings() {
  if (curl_) curl_easy_cleanup(curl_);
  pthread_rwlock_destroy(&lock_);
}

bool Settings::load() {
  std::FILE *file = std::fopen(cache_path_.c_str(), "rb");
  if (!file) return false;
  std::string text;
  if (std::fseek(file, 0, SEEK_END) == 0) {
    long size = std::ftell(file);
    std::rewind(file);
    if (size > 0) {
      text.resize(static_cast<std::size_t>(size));
      text.resize(std::fread(&text[0], 1, text.size(), file));
    }
  }
  std::fclose(file);
  return replace(text.data(), text.size());
}

bool Settings::replace(const char *text, std::size_t size) {
  std::optional<Dictionary> values = parse(shape_, text, size);
  if (!values) return false;
  pthread_rwlock_wrlock(&lock_);
  values_.swap(*values);
  pthread_rwlock_unlock(&lock_);
  return true; // the old dictionary is freed here, outside the lock
}

bool Settings::save(const std::string &body) const {
  std::string temporary = cache_path_ + ".tmp";
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file) return false;
  bool written = std::fwrite(body.data(), 1, body.size(), file) == body.size();
  written = std::fclose(file) == 0 && written;
  return written && std::rename(temporary.c_str(), cache_path_.c_str()) == 0;
}

Outcome Settings::refresh() {
  if (!curl_) curl_ = curl_easy_init();
  if (!curl_) return Outcome::failed;
  std::string body;
  std::string etag;
  curl_slist *headers = nullptr;
  if (!etag_.empty()) headers = curl_slist_append(nullptr, ("If-None-Match: " + etag_).c_str());
  curl_easy_setopt(curl_, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl_, CURLOPT_HEADERDATA, &etag);
  curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl_, CURLOPT_TIMEOUT, 30L);
  CURLcode result = curl_easy_perform(curl_);
  curl_slist_free_all(headers);
  long status = 0;
  curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
  if (result == CURLE_OK && status == 304) return Outcome::unchanged;
  if (result != CURLE_OK || status != 200 || !replace(body.data(), body.size())) return Outcome::failed;
  etag_ = etag;
  if (!cache_path_.empty()) save(body);
  return Outcome::updated;
}

bool Settings::get_bool(const std::string &key, bool fallback) const {
  ReadLock lock(lock_);
  auto found = values_.find(key);
  if (found == values_.end()) return fallback;
  const bool *value = std::get_if<bool>(&found->second);
  return value ? *value : fallback;
}

std::string Settings::get_string(const std::string &key, const std::string &fallback) const {
  ReadLock lock(lock_);
  auto found = values_.find(key);
  if (found == values_.end()) return fallback;
  const std::string *value = std::get_if<std::string>(&found->second);
  return value ? *value : fallback;
}

// The caller holds the lock.
json_t *Settings::member_of(const std::string &key, const char *member) const {
  auto found = values_.find(key);
  if (found == values_.end()) return nullptr;
  const Json *object = std::get_if<Json>(&found->second);
  return object ? json_object_get(object->get(), member) : nullptr;
}

bool Settings::get_bool(const std::string &key, const char *member, bool fallback) const {
  ReadLock lock(lock_);
  const json_t *value = member_of(key, member);
  return json_is_boolean(value) ? json_is_true(value) : fallback;
}

std::string Settings::get_string(const std::string &key, const char *member, const std::string &fallback) const {
  ReadLock lock(lock_);
  const json_t *value = member_of(key, member);
  return json_is_string(value) ? std::string(json_string_value(value), json_string_length(value)) : fallback;
}

} // namespace rival
