// SPDX-License-Identifier: Apache-2.0

/// @file detail/base.hpp Handles, texts and lists of the C API. Not for hosts.
#ifndef REMORA_DETAIL_BASE_HPP
#define REMORA_DETAIL_BASE_HPP

#include <remora.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <remora/error.hpp>

namespace remora::detail {

template <auto Release>
struct releaser {
  template <class Object>
  void operator()(Object *object) const noexcept {
    Release(object);
  }
};

/// A unique_ptr for a handle of the C API, which has one owner.
template <class Object, auto Release>
using unique = std::unique_ptr<Object, releaser<Release>>;

/// A smart pointer for a handle of the C API that counts its references.
template <class Object, auto Retain, auto Release>
class shared {
 public:
  shared() noexcept = default;
  explicit shared(Object *owned) noexcept : handle_(owned) {}
  shared(const shared &other) noexcept : handle_(Retain(other.get())) {}
  shared(shared &&) noexcept = default;
  shared &operator=(const shared &other) noexcept {
    handle_.reset(Retain(other.get()));
    return *this;
  }
  shared &operator=(shared &&) noexcept = default;
  ~shared() = default;
  Object *get() const noexcept { return handle_.get(); }

 private:
  unique<Object, Release> handle_;
};

/// A NUL-terminated copy of a text, for the duration of a call. If the text contains a NUL, the call is refused.
class c_string {
 public:
  c_string(std::string_view text, const char *argument, call &call) {
    char *copy = small_;
    if (text.size() >= sizeof small_) copy = (large_ = std::make_unique<char[]>(text.size() + 1)).get();
    if (!text.empty()) std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
    text_ = copy;
    if (text.find('\0') != std::string_view::npos) call.refuse(argument);
  }
  c_string(const c_string &) = delete;
  c_string &operator=(const c_string &) = delete;
  operator const char *() const noexcept { return text_; }

 private:
  char small_[120];
  std::unique_ptr<char[]> large_;
  const char *text_;
};

/// Returns the text of an option; NULL (the default) if the text is empty. If the text contains a NUL, the call is
/// refused.
inline const char *option(const std::string &text, const char *name, call &call) noexcept {
  if (text.find('\0') != std::string::npos) call.refuse(name);
  return text.empty() ? nullptr : text.c_str();
}

/// A NULL-terminated array of pointers to the texts of a list.
class c_array {
 public:
  void add(const std::string &text, const char *name, call &call) {
    if (text.find('\0') != std::string::npos) call.refuse(name);
    texts_.push_back(text.c_str());
  }
  void add_all(const std::vector<std::string> &texts, const char *name, call &call) {
    for (const std::string &text : texts) add(text, name, call);
  }
  /// Returns the array; NULL if the array is empty.
  const char *const *get() {
    if (texts_.empty()) return nullptr;
    texts_.push_back(nullptr);
    return texts_.data();
  }

 private:
  std::vector<const char *> texts_;
};

/// Returns a structure that remora_init has cleared.
template <class Structure>
Structure initialised() noexcept {
  Structure structure;
  remora_init(&structure, sizeof structure);
  return structure;
}

/// Calls a function that writes a text like snprintf. Provides a large enough buffer, and returns the text.
template <class Write>
std::string written(Write write) {
  std::string text(200, '\0');
  for (;;) {
    const std::size_t length = write(text.data(), text.size() + 1);
    const bool fits = length <= text.size();
    text.resize(length);
    if (fits) return text;
  }
}

/// Calls a function that writes a text and returns a status. Returns an empty result on failure.
template <class Write>
std::optional<std::string> read_text(call &call, Write write) {
  std::string text;
  const bool succeeded = call([&](remora_error *error) {
    remora_status status = REMORA_OK;
    text = written([&](char *buffer, std::size_t size) {
      std::size_t length = 0;
      status = write(buffer, size, &length, error);
      return status == REMORA_OK ? length : 0;
    });
    return status;
  });
  if (!succeeded) return std::nullopt;
  return text;
}

/// Calls a function with NUL-terminated copies of a key and a JSON Pointer.
template <class Read>
auto at_place(std::string_view key, std::string_view pointer, error_target errors, Read read) {
  call call(errors);
  const c_string key_text(key, "key", call);
  const c_string pointer_text(pointer, "pointer", call);
  return read(call, static_cast<const char *>(key_text), static_cast<const char *>(pointer_text));
}

/// Calls a function that writes a number, and returns an empty result on failure.
template <class Result, class Raw, class Read>
std::optional<Result> read(call &call, Read read) {
  Raw raw{};
  if (!call([&](remora_error *error) { return read(&raw, error); })) return std::nullopt;
  return static_cast<Result>(raw);
}

/// Calls a function that returns a text of a snapshot, and returns an empty result on failure.
template <class Read>
std::optional<std::string_view> read_view(call &call, Read read) {
  const char *text = nullptr;
  std::size_t length = 0;
  if (!call([&](remora_error *error) { return read(&text, &length, error); })) return std::nullopt;
  return std::string_view(text, length);
}

/// A visitor of the C API that converts each element to an Item. No exception leaves the visitor.
template <class Item, class Raw>
class collector {
 public:
  static std::int32_t visit(const Raw *raw, void *collector_pointer) noexcept {
    auto &self = *static_cast<collector *>(collector_pointer);
    try {
      self.items_.emplace_back(*raw);
      return 0;
    } catch (...) {
      self.thrown_ = std::current_exception();
      return 1;
    }
  }
  /// Returns the items, or throws the exception that has stopped the visitor.
  std::vector<Item> take() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(items_);
  }

 private:
  std::vector<Item> items_;
  std::exception_ptr thrown_;
};

/// Converts an array of the C API, which contains pointers to its elements, to a std::vector.
template <class Item, class Raw>
std::vector<Item> list(const Raw *const *elements, std::size_t count) {
  std::vector<Item> items;
  items.reserve(count);
  for (std::size_t index = 0; index < count; ++index) items.emplace_back(*elements[index]);
  return items;
}

} // namespace remora::detail

#endif // REMORA_DETAIL_BASE_HPP
