// SPDX-License-Identifier: Apache-2.0

/// @file callback.hpp Callbacks that the library calls. Exceptions of callbacks never enter the library.
#ifndef REMORA_CALLBACK_HPP
#define REMORA_CALLBACK_HPP

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace remora {

/// A function that receives exceptions which callbacks have thrown; see set_exception_handler. It must not throw.
using exception_handler = void (*)(std::exception_ptr);

namespace detail {
/// A process has one handler, even if its shared libraries hide their symbols.
[[gnu::visibility("default")]] inline std::atomic<exception_handler> current_exception_handler{nullptr};

/// Calls a function. If the function throws, passes the exception to the exception handler.
template <class Function>
void stop_exceptions(Function function) noexcept {
  try {
    function();
  } catch (...) {
    if (const exception_handler handler = current_exception_handler.load()) handler(std::current_exception());
  }
}
} // namespace detail

/// Sets the function that receives the exceptions of callbacks, for all clients of the process. By default no handler
/// is set: an exception ends the callback that has thrown it, and is dropped. No exception enters the library.
/// @param handler The handler; nullptr: exceptions are dropped. If the handler itself throws, std::terminate is called.
/// @return The previous handler.
/// Thread: any. The handler runs on the thread of the callback. Blocking: no.
inline exception_handler set_exception_handler(exception_handler handler) noexcept {
  return detail::current_exception_handler.exchange(handler);
}

/// A function for the library to call with a `const Argument &`: made from a lambda, a function, a std::function or a
/// movable object. Copies share one callable. The callable is destroyed once, after its last call, when the
/// subscription, operation or client has ended and no copy is left. An empty std::function or nullptr makes an empty
/// callback.
template <class Argument>
class callback {
  template <class Function>
  using enable_for = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, callback> &&
                                      std::is_invocable_v<std::decay_t<Function> &, const Argument &>>;

 public:
  callback() noexcept = default;
  /// Creates an empty callback.
  callback(std::nullptr_t) noexcept {}
  /// Copies or moves a callable. A null function pointer and an empty std::function make an empty callback.
  template <class Function, class = enable_for<Function>>
  callback(Function &&function) {
    std::decay_t<Function> copy(std::forward<Function>(function));
    // A lambda without captures is an empty class, and never null.
    if constexpr (std::is_constructible_v<bool, std::decay_t<Function> &> && !std::is_empty_v<std::decay_t<Function>>) {
      if (!static_cast<bool>(copy)) return;
    }
    target_ = std::make_shared<callable<std::decay_t<Function>>>(std::move(copy));
  }

  explicit operator bool() const noexcept { return target_ != nullptr; }
  /// Calls the callable. The callback must not be empty.
  void operator()(const Argument &argument) const { target_->call(argument); }

 private:
  struct base {
    base() = default;
    base(const base &) = delete;
    base &operator=(const base &) = delete;
    virtual ~base() = default;
    virtual void call(const Argument &argument) = 0;
  };
  template <class Function>
  struct callable final : base {
    explicit callable(Function &&source) : function(std::move(source)) {}
    void call(const Argument &argument) override { function(argument); }
    Function function;
  };
  std::shared_ptr<base> target_;
};

namespace detail {

/// Converts a callback to the form of the C API: a function, its user data, and the function that frees the user data.
template <class Argument, class Raw>
class registration {
 public:
  explicit registration(const callback<Argument> &target)
      : is_set_(target), target_(target ? std::make_unique<callback<Argument>>(target) : nullptr) {}
  static void run(const Raw *raw, void *user_data) noexcept {
    stop_exceptions([&] { (*static_cast<callback<Argument> *>(user_data))(Argument(raw)); });
  }
  static void destroy(void *user_data) noexcept { delete static_cast<callback<Argument> *>(user_data); }

  auto function() const noexcept { return is_set_ ? &run : nullptr; }
  auto free_user_data() const noexcept { return is_set_ ? &destroy : nullptr; }
  /// Returns the user data, for a function of the C API that does not keep the user data.
  void *lend() const noexcept { return target_.get(); }
  /// Returns the user data, for a function of the C API that frees the user data, even if the function fails.
  void *release() noexcept { return target_.release(); }

 private:
  bool is_set_;
  std::unique_ptr<callback<Argument>> target_;
};

} // namespace detail
} // namespace remora

#endif // REMORA_CALLBACK_HPP
