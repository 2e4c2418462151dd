// SPDX-License-Identifier: Apache-2.0

// Asynchronous calls, cancelling, and callbacks in the host's loop.
#include <poll.h>

#include <memory>

#include "support.hpp"

namespace {

using remora::errc;
using remora::outcome;

const char *const one_record = R"([{"id":"a","last_modified":2000,"n":5}])";

TEST("an asynchronous refresh calls its completion callback once, and then destroys it") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  counter calls, ends;
  scene.source.refresh_async(deadline, [&, end = end_counter(ends)](const remora::result &result) {
    CHECK(!result.code() && !result.reason() && result.outcome() == outcome::updated);
    CHECK(result.source().get_int("a", "/n") == 5 && !result.snapshot() && !result.attachment());
    calls.add();
  });
  CHECK(calls.await(1) && ends.await(1));
  CHECK_INT(1, calls.count());
}

TEST("an asynchronous await passes its callback a snapshot that can be kept") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  counter calls;
  remora::snapshot kept;
  scene.source.await_async(deadline, [&](const remora::result &result) {
    kept = result.snapshot();
    calls.add();
  });
  CHECK(calls.await(1) && kept.get_int("a", "/n") == 5);
  scene.source.await_async(deadline);
  CHECK(loopback_await_requests(scene.server.get(), 2));
}

TEST("an asynchronous await that fails passes its callback no snapshot") {
  served_scene scene;
  loopback_fail(scene.server.get(), 500, nullptr);
  counter calls;
  scene.source.await_async(deadline, [&](const remora::result &result) {
    CHECK(result.code() == errc::http && !result.snapshot() && result.source().snapshot());
    calls.add();
  });
  CHECK(calls.await(1));
}

TEST("an asynchronous refresh that fails passes the reason to its completion callback") {
  served_scene scene;
  loopback_fail(scene.server.get(), 500, nullptr);
  counter calls;
  scene.source.refresh_async(deadline, [&](const remora::result &result) {
    CHECK(result.code() == errc::http && result.outcome() == outcome::failed);
    CHECK(result.reason().code == errc::http && result.reason().http_status == 500);
    calls.add();
  });
  CHECK(calls.await(1));
}

TEST("a cancelled asynchronous refresh completes with the error code cancelled") {
  served_scene scene;
  loopback_hang(scene.server.get(), 1);
  counter calls;
  const remora::request request = scene.source.refresh_async(remora::no_limit, [&](const remora::result &result) {
    CHECK(result.code() == errc::cancelled && result.code() == std::errc::operation_canceled);
    calls.add();
  });
  CHECK(request);
  CHECK(loopback_await_requests(scene.server.get(), 1));
  request.cancel();
  CHECK(calls.await(1));
  loopback_hang(scene.server.get(), 0);
}

TEST("closing the client destroys the completion callback of a refresh without calling it") {
  served_scene scene;
  loopback_hang(scene.server.get(), 1);
  counter calls, ends;
  scene.source.refresh_async(remora::no_limit, [&, end = end_counter(ends)](const remora::result &) { calls.add(); });
  CHECK(loopback_await_requests(scene.server.get(), 1));
  scene.client.close();
  CHECK(ends.await(1));
  CHECK_INT(0, calls.count());
  loopback_hang(scene.server.get(), 0);
}

TEST("an asynchronous sync passes its callback a report that can be kept") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000,
                   R"([{"id":"sample","last_modified":2000,"bucket":"main","collection":"sample"}])", 0, nullptr);
  counter calls;
  remora::sync_report kept;
  scene.client.sync_async(deadline, [&](const remora::sync_report &report) {
    kept = report;
    calls.add();
  });
  CHECK(calls.await(1));
  CHECK(kept.updated == 1 && kept.items.size() == 1 && kept.items[0].source_name == "main/sample");
}

TEST("dispatch runs the callbacks on the thread that calls it") {
  remora::config config = in_memory();
  config.callbacks = remora::callback_mode::on_dispatch;
  const remora::client client(config);
  const remora::source source = client.open_collection(unsigned_collection("sample", &sample));
  int events = 0;
  const remora::subscription subscription = source.subscribe([&](const remora::event &) { ++events; });
  source.set_override("limits", "/int", 8);
  pollfd waiting{client.fd(), POLLIN, 0};
  CHECK_INT(1, poll(&waiting, 1, static_cast<int>(deadline.count())));
  CHECK_INT(0, events);
  CHECK_SIZE(1, client.dispatch());
  CHECK_INT(1, events);
  CHECK_SIZE(0, client.dispatch());
}

TEST("a callback can destroy the client that dispatches it") {
  remora::config config = in_memory();
  config.callbacks = remora::callback_mode::on_dispatch;
  auto client = std::make_unique<remora::client>(config);
  const remora::source source = client->open_collection(unsigned_collection("sample", &sample));
  source.subscribe_until_close([&](const remora::event &) { client.reset(); }, remora::replay::yes);
  CHECK_SIZE(1, client->dispatch());
  CHECK(client == nullptr);
}

TEST("a client with a thread for callbacks has no dispatch descriptor") {
  local_scene scene;
  CHECK_THROWS(errc::invalid_argument, scene.client.fd());
  CHECK_THROWS(errc::invalid_argument, scene.client.dispatch());
}

} // namespace
