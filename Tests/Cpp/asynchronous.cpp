// SPDX-License-Identifier: Apache-2.0

// Asynchronous calls, cancelling, and callbacks in the host's loop.
#include <poll.h>

#include <memory>

#include "suites.hpp"

namespace {

using remora::errc;
using remora::outcome;

const char *const one_record = R"([{"id":"a","last_modified":2000,"n":5}])";

void an_asynchronous_refresh_calls_its_completion() {
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

void an_asynchronous_await_passes_a_snapshot() {
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

void a_failure_is_passed_to_the_completion() {
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

void a_cancelled_operation_has_its_code() {
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

void closing_destroys_the_completion_without_a_call() {
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

void an_asynchronous_sync_passes_a_report_that_can_be_kept() {
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

void dispatch_runs_the_callbacks_on_its_thread() {
  remora::config config = in_memory();
  config.callbacks = remora::callback_mode::on_dispatch;
  const remora::client client(config);
  const remora::source source = client.open_collection(unsigned_collection("sample", &sample));
  int events = 0;
  const remora::subscription subscription = source.subscribe([&](const remora::event &) { ++events; });
  source.set_override("limits", "/int", "8");
  pollfd waiting{client.fd(), POLLIN, 0};
  CHECK_INT(1, poll(&waiting, 1, static_cast<int>(deadline.count())));
  CHECK_INT(0, events);
  CHECK_SIZE(1, client.dispatch());
  CHECK_INT(1, events);
  CHECK_SIZE(0, client.dispatch());
}

void a_callback_can_destroy_the_client_that_dispatches() {
  remora::config config = in_memory();
  config.callbacks = remora::callback_mode::on_dispatch;
  auto client = std::make_unique<remora::client>(config);
  const remora::source source = client->open_collection(unsigned_collection("sample", &sample));
  source.subscribe_until_close([&](const remora::event &) { client.reset(); }, remora::replay::yes);
  CHECK_SIZE(1, client->dispatch());
  CHECK(client == nullptr);
}

void a_client_with_a_thread_has_no_descriptor() {
  local_scene scene;
  CHECK_THROWS(errc::invalid_argument, scene.client.fd());
  CHECK_THROWS(errc::invalid_argument, scene.client.dispatch());
}

} // namespace

const check_test asynchronous_tests[] = {
    {"an asynchronous refresh calls its completion callback once, and then destroys it",
     an_asynchronous_refresh_calls_its_completion},
    {"an asynchronous await passes its callback a snapshot that can be kept", an_asynchronous_await_passes_a_snapshot},
    {"an asynchronous refresh that fails passes the reason to its completion callback",
     a_failure_is_passed_to_the_completion},
    {"a cancelled asynchronous refresh completes with the error code cancelled", a_cancelled_operation_has_its_code},
    {"closing the client destroys the completion callback of a refresh without calling it",
     closing_destroys_the_completion_without_a_call},
    {"an asynchronous sync passes its callback a report that can be kept",
     an_asynchronous_sync_passes_a_report_that_can_be_kept},
    {"dispatch runs the callbacks on the thread that calls it", dispatch_runs_the_callbacks_on_its_thread},
    {"a callback can destroy the client that dispatches it", a_callback_can_destroy_the_client_that_dispatches},
    {"a client with a thread for callbacks has no dispatch descriptor", a_client_with_a_thread_has_no_descriptor},
    {nullptr, nullptr},
};
