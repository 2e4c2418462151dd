// SPDX-License-Identifier: Apache-2.0

// Subscribers of each form, their ends, and the exceptions that they throw.
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "support.hpp"

namespace {

using remora::cause;
using remora::event;
using remora::replay;

counter handled;                 // Exceptions that the handler has received.
std::atomic<int> plain_calls{0}; // Calls of the plain function.

void plain_subscriber(const event &) { ++plain_calls; }

struct counting_functor {
  counter *calls;
  void operator()(const event &) const { calls->add(); }
};

TEST("functions, lambdas, functors, std::function and movable callables can be callbacks") {
  local_scene scene;
  counter lambda, function, functor, move_only;
  auto owned = std::make_unique<int>(7);
  const std::function<void(const event &)> wrapped = [&](const event &) { function.add(); };
  remora::callback<event> twice = [&](const event &) { lambda.add(); };
  std::vector<remora::subscription> subscriptions;
  subscriptions.push_back(scene.source.subscribe(plain_subscriber));
  subscriptions.push_back(scene.source.subscribe(twice));
  subscriptions.push_back(scene.source.subscribe(twice));
  subscriptions.push_back(scene.source.subscribe(wrapped));
  subscriptions.push_back(scene.source.subscribe(counting_functor{&functor}));
  subscriptions.push_back(scene.source.subscribe([&, owned = std::move(owned)](const event &) mutable {
    CHECK_INT(7, *owned);
    move_only.add();
  }));
  scene.source.set_override("limits", "/int", 8);
  CHECK(lambda.await(2) && function.await(1) && functor.await(1) && move_only.await(1));
  CHECK_INT(1, plain_calls.load());
}

TEST("an event has the old and the new snapshot, the changes and its source") {
  local_scene scene;
  counter calls;
  remora::snapshot kept;
  const remora::subscription subscription = scene.source.subscribe([&](const event &event) {
    CHECK(event.cause() == cause::override && event.outcome() == remora::outcome::none);
    CHECK(event.kind() == remora::source_kind::collection && event.source_name() == "main/sample");
    CHECK(event.origin() == remora::origin::packaged && event.version() == 1000);
    CHECK(event.old_snapshot().get_int("limits", "/int") == 7 && event.new_snapshot().get_int("limits", "/int") == 8);
    CHECK(!event.staged_snapshot() && !event.reason() && !event.storage_error() && event.new_experiments().empty());
    const std::vector<remora::change> changes = event.changes();
    CHECK(changes.size() == 1 && changes[0].key == "limits");
    CHECK(event.source().get_int("limits", "/int") == 8);
    kept = event.new_snapshot();
    calls.add();
  });
  scene.source.set_override("limits", "/int", 8);
  CHECK(calls.await(1));
  CHECK(kept.get_int("limits", "/int") == 8 && scene.source.get_int("limits", "/int") == 8);
}

TEST("a subscriber of a key is called for that key only") {
  local_scene scene;
  counter limits, all;
  const auto of_key = scene.source.subscribe("limits", [&](const event &) { limits.add(); });
  const auto of_all = scene.source.subscribe([&](const event &) { all.add(); });
  scene.source.set_override("texts", "/plain", 1);
  CHECK(all.await(1));
  CHECK_INT(0, limits.count());
  scene.source.set_override("limits", "/int", 8);
  CHECK(limits.await(1));
}

TEST("a subscription with replay and the callback on_event are both notified of the current state") {
  local_scene scene;
  counter opened;
  const auto subscription = scene.source.subscribe(
      [&](const event &event) {
        if (event.cause() == cause::opened) opened.add();
      },
      replay::yes);
  CHECK(opened.await(1));
  remora::collection_options options = unsigned_collection("sample", &sample);
  options.on_event = [&](const event &event) {
    CHECK(event.source().get_int("limits", "/int") == 7);
    opened.add();
  };
  const remora::source second = scene.client.open_collection(options);
  CHECK(opened.await(2));
}

TEST("a callable that was passed as a callback is destroyed once, with its last copy") {
  counter ends;
  local_scene scene;
  remora::subscription subscription = scene.source.subscribe([end = end_counter(ends)](const event &) {});
  subscription.unsubscribe();
  CHECK_INT(1, ends.count());
  scene.source.subscribe_until_close([end = end_counter(ends)](const event &) {});
  CHECK_INT(1, ends.count());
  remora::callback<event> shared = [end = end_counter(ends)](const event &) {};
  remora::collection_options options = unsigned_collection("other");
  options.on_event = shared;
  remora::source other = scene.client.open_collection(options);
  shared = nullptr;
  scene.client.close();
  CHECK_INT(2, ends.count());
  CHECK(options.on_event && !shared);
  options.on_event = nullptr;
  CHECK_INT(3, ends.count());
}

TEST("a callback can end its own subscription") {
  local_scene scene;
  counter calls, ends;
  remora::subscription subscription;
  subscription = scene.source.subscribe([&, end = end_counter(ends)](const event &) {
    calls.add();
    subscription.unsubscribe();
  });
  scene.source.set_override("limits", "/int", 8);
  CHECK(ends.await(1));
  scene.source.set_override("limits", "/int", 9);
  CHECK_INT(1, calls.count());
}

TEST("a callback that is made from an empty callable is empty, and is refused") {
  local_scene scene;
  remora::callback<event> none = std::function<void(const event &)>();
  CHECK(!none);
  none = nullptr;
  CHECK(!none && !remora::callback<event>());
  void (*const no_function)(const event &) = nullptr;
  CHECK(!remora::callback<event>(no_function) && remora::callback<event>(plain_subscriber));
  CHECK_THROWS(remora::errc::invalid_argument, (void)scene.source.subscribe(none));
}

TEST("an exception of a callback is ignored if no handler is installed") {
  local_scene scene;
  counter calls;
  const auto subscription = scene.source.subscribe([&](const event &) {
    calls.add();
    throw std::runtime_error("dropped");
  });
  scene.source.set_override("limits", "/int", 8);
  CHECK(calls.await(1));
  scene.source.set_override("limits", "/int", 9);
  CHECK(calls.await(2));
}

TEST("an exception of a callback is passed to the installed handler") {
  local_scene scene;
  const remora::exception_handler handler = [](std::exception_ptr exception) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::runtime_error &error) {
      CHECK_TEXT("thrown", error.what());
      handled.add();
    }
  };
  CHECK(remora::set_exception_handler(handler) == nullptr);
  const auto subscription = scene.source.subscribe([](const event &) { throw std::runtime_error("thrown"); });
  scene.source.set_override("limits", "/int", 8);
  CHECK(handled.await(1));
  scene.source.refresh_async(0s, [](const remora::result &) { throw std::runtime_error("thrown"); });
  CHECK(handled.await(2));
  CHECK(remora::set_exception_handler(nullptr) == handler);
}

TEST("log lines and refresh attempts are reported to callbacks") {
  local_server server;
  loopback_fail(server.get(), 500, nullptr);
  counter lines, attempts, ends;
  remora::config config = in_memory(server.url());
  config.log_level = remora::log_level::debug;
  config.on_log = [&, end = end_counter(ends)](const remora::log_entry &entry) {
    if (entry.source_name == "main/sample" && entry.kind == remora::source_kind::collection) lines.add();
    CHECK(!entry.message.empty());
  };
  config.on_attempt = [&](const remora::attempt &attempt) {
    CHECK(attempt.source_name == "main/sample" && attempt.outcome == remora::outcome::failed);
    CHECK(attempt.code == remora::errc::http && attempt.reason.code == remora::errc::http);
    CHECK(attempt.http_status == 500 && attempt.duration >= 0ms && attempt.kind == remora::source_kind::collection);
    CHECK(attempt.server.find("http://127.0.0.1:") == 0);
    attempts.add();
  };
  remora::client client(config);
  config = remora::config();
  const remora::source source = client.open_collection(unsigned_collection());
  source.refresh(deadline, remora::ignored);
  CHECK(lines.await(1) && attempts.await(1));
  client.close();
  CHECK_INT(1, ends.count());
}

} // namespace
