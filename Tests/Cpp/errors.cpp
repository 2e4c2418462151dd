// SPDX-License-Identifier: Apache-2.0

// Codes, families, details and exceptions.
#include "plugin.hpp"
#include "support.hpp"

namespace {

using remora::errc;
using remora::family;

TEST("error codes of the library have the category remora") {
  const std::error_code code = errc::http;
  CHECK_INT(REMORA_ERR_HTTP, code.value());
  CHECK_VIEW("remora", code.category().name());
  CHECK_VIEW("REMORA_ERR_HTTP", code.message());
  CHECK_VIEW("REMORA_ERR_UNKNOWN", std::error_code(-99999, remora::category()).message());
  CHECK(code == errc::http && code != errc::tls);
  CHECK(&remora::category() == &remora::category());
}

TEST("an error condition for a family matches each error code of the family") {
  CHECK(std::error_code(errc::http) == family::network);
  CHECK(std::error_code(errc::http) != family::trust);
  CHECK(std::error_code(errc::not_found) == family::call);
  CHECK(std::error_code(errc::internal) == family::system);
  CHECK(std::error_code(-177, remora::category()) == family::network);
  CHECK(std::error_code() == family::none && std::error_code() != family::call);
  CHECK(std::error_code(0, remora::category()) == family::none);
  CHECK(std::error_code(1, std::generic_category()) != family::call);
  CHECK(std::error_code(1, std::generic_category()) != family::none);
  for (int number = 0; number <= 7; ++number) CHECK(remora::family_category().message(number).size() >= 10);
  CHECK_VIEW("a family of a later version", remora::family_category().message(8));
  CHECK_SAME(family::trust, remora::family_of(errc::root_mismatch));
  CHECK_SAME(family::none, remora::family_of(std::make_error_code(std::errc::timed_out)));
  CHECK_VIEW("trust", remora::to_string(remora::family_of(errc::root_mismatch)));
}

TEST("some error codes equal error conditions of the standard library") {
  CHECK(std::error_code(errc::timeout) == std::errc::timed_out);
  CHECK(std::error_code(errc::invalid_argument) == std::errc::invalid_argument);
  CHECK(std::error_code(errc::cancelled) == std::errc::operation_canceled);
  CHECK(std::error_code(errc::busy) == std::errc::device_or_resource_busy);
  CHECK(std::error_code(errc::http) != std::errc::timed_out);
}

TEST("an exception has the error code, HTTP status, retry time, source and message") {
  served_scene scene;
  loopback_fail(scene.server.get(), 503, "Retry-After: 30");
  try {
    scene.source.refresh(deadline);
    check_fail(__FILE__, __LINE__, "no exception");
  } catch (const std::system_error &caught) {
    const auto &error = dynamic_cast<const remora::error &>(caught);
    CHECK(error.code() == errc::http && error.code() == family::network);
    CHECK_INT(503, error.http_status());
    CHECK(error.retry_after() > 25s && error.retry_after() <= 30s);
    CHECK_VIEW("main/sample", error.source_name());
    CHECK(std::string(error.what()).find("503") != std::string::npos);
    CHECK_VIEW("main/sample: " + error.details().message, error.what());
    const remora::error copy = error;
    CHECK_VIEW(error.what(), copy.what());
  }
}

TEST("a call with a std::error_code or failure argument reports an error there and does not throw") {
  served_scene scene;
  loopback_fail(scene.server.get(), 404, nullptr);
  std::error_code code;
  CHECK_SAME(remora::outcome::none, scene.source.refresh(deadline, code));
  CHECK_SAME(errc::http, code);
  remora::failure details;
  CHECK_SAME(remora::outcome::none, scene.source.refresh(deadline, details));
  CHECK(details && details.code == errc::http);
  CHECK_INT(404, details.http_status);
  CHECK_VIEW("main/sample", details.source_name);
  CHECK(!details.message.empty());
  CHECK_SAME(remora::outcome::none, scene.source.refresh(deadline, remora::ignored));
}

TEST("a call that succeeds clears its std::error_code or failure argument") {
  local_scene scene;
  std::error_code code = errc::http;
  CHECK_SIZE(4, scene.source.snapshot(code).size());
  CHECK(!code);
  remora::failure details;
  details.code = errc::http;
  details.message = "old";
  CHECK_SIZE(4, scene.source.snapshot(details).size());
  CHECK(!details && details.message.empty());
}

TEST("a text with a NUL character is an invalid argument") {
  local_scene scene;
  const remora::snapshot snapshot = scene.source.snapshot();
  remora::failure details;
  CHECK(!snapshot.get_int("limits"sv, "/int\0"sv, details));
  CHECK_SAME(errc::invalid_argument, details.code);
  CHECK_VIEW("pointer contains a NUL character", details.message);
  CHECK_VIEW("pointer", details.parameter);
  CHECK_THROWS(errc::invalid_argument, scene.source.bind("limits\0x"sv));
  CHECK_THROWS(errc::invalid_argument, scene.source.set_override("limits", "", remora::json("1\0"sv)));
  CHECK_THROWS(errc::invalid_argument, scene.client.set_context("{}\0"sv));
  CHECK(!scene.source.get_int("limits", "/int\0"sv));
  CHECK_INT(3, scene.source.get_int("limits", "/int\0"sv, 3));
  CHECK(!snapshot.get("limits\0"sv));
  remora::config config = in_memory();
  config.headers = {std::string("A: b\0", 5)};
  CHECK_THROWS(errc::invalid_argument, remora::client{config});
  config = in_memory();
  config.user_agent = std::string("a\0", 2);
  CHECK_THROWS(errc::invalid_argument, remora::client{config});
}

TEST("an error about an invalid argument names the option as in C++") {
  remora::config config = in_memory();
  config.connect_timeout = -5ms;
  remora::failure details;
  CHECK(!remora::client(config, details));
  CHECK_VIEW("connect_timeout", details.parameter);
  CHECK_VIEW("connect_timeout is -5; -1 is the only negative number allowed", details.message);
  config = in_memory();
  config.proxy = "ftp://h";
  try {
    const remora::client client(config);
    check_fail(__FILE__, __LINE__, "no exception");
  } catch (const remora::error &error) {
    CHECK_VIEW("proxy", error.parameter());
    CHECK_INT(0, error.system_code());
  }
}

TEST("an error about a refused connection has the code of libcurl") {
  local_scene scene;
  remora::failure details;
  scene.source.refresh(deadline, details);
  CHECK_SAME(errc::network, details.code);
  CHECK_INT(7, details.system_code);
  CHECK(details.parameter.empty());
}

TEST("a shared library with hidden symbols uses the error category and exception handler of the program") {
  CHECK(plugin_code() == errc::http && errc::http == plugin_code());
  CHECK(std::error_code(errc::http) == plugin_condition() && plugin_code() == family::network);
  CHECK_THROWS(errc::invalid_argument, plugin_throw());
  const remora::exception_handler handler = [](std::exception_ptr) {};
  CHECK(plugin_handler() == nullptr);
  remora::set_exception_handler(handler);
  CHECK(plugin_handler() == handler);
}

} // namespace
