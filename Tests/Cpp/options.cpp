// SPDX-License-Identifier: Apache-2.0

// Whether each option reaches the C API, and how durations are converted.
#include <limits>

#include "support.hpp"

namespace {

// The call that the structures of detail report to.
struct target {
  std::error_code code;
  remora::detail::call call{code};
};

TEST("each member of a configuration is passed to the C API") {
  remora::config config("dir");
  config.application_name = "name";
  config.application_version = "version";
  config.application_build = "build";
  config.server = "server";
  config.bucket = "bucket";
  config.proxy = "proxy";
  config.ca_file = "ca";
  config.headers = {"A: 1", ""};
  config.user_agent = "agent";
  config.connect_timeout = 1s;
  config.stall_timeout = 2s;
  config.total_timeout = remora::disabled;
  config.max_body_bytes = 3;
  config.log_level = remora::log_level::debug;
  config.callbacks = remora::callback_mode::on_dispatch;
  target target;
  const remora::detail::c_config passed(config, target.call);
  const remora_config &raw = passed.raw;
  CHECK_SIZE(sizeof raw, raw.struct_size);
  CHECK_TEXT("dir", raw.storage_dir);
  CHECK_TEXT("name", raw.application_name);
  CHECK_TEXT("version", raw.application_version);
  CHECK_TEXT("build", raw.application_build);
  CHECK_TEXT("server", raw.server);
  CHECK_TEXT("bucket", raw.bucket);
  CHECK_TEXT("proxy", raw.proxy);
  CHECK_TEXT("ca", raw.ca_file);
  CHECK_TEXT("A: 1", raw.headers[0]);
  CHECK_TEXT("", raw.headers[1]);
  CHECK(raw.headers[2] == nullptr);
  CHECK_TEXT("agent", raw.user_agent);
  CHECK_INT(1000, raw.connect_timeout_ms);
  CHECK_INT(2000, raw.stall_timeout_ms);
  CHECK_INT(-1, raw.total_timeout_ms);
  CHECK_INT(3, raw.max_body_bytes);
  CHECK_INT(REMORA_LOG_DEBUG, raw.log_level);
  CHECK_INT(REMORA_CALLBACKS_ON_DISPATCH, raw.callbacks);
}

TEST("an option that is not set has its default") {
  target target;
  const remora::detail::c_config config(remora::config(), target.call);
  CHECK(config.raw.storage_dir == nullptr && config.raw.server == nullptr && config.raw.headers == nullptr);
  CHECK(config.raw.on_log == nullptr && config.raw.on_attempt == nullptr);
  const remora::detail::c_collection_options collection(remora::collection_options(""), target.call);
  CHECK(collection.raw.name == nullptr && collection.raw.previous_roots == nullptr);
  CHECK(collection.raw.packaged_data == nullptr && collection.raw.max_future_ms == 0);
  const remora::detail::c_settings_options settings(remora::settings_options(), target.call);
  CHECK(settings.raw.url == nullptr && settings.raw.request_params == nullptr && settings.raw.ttl_ms == 0);
  CHECK(settings.raw.required_keys == nullptr);
  const remora::detail::c_source_options shared(remora::settings_options(), target.call);
  CHECK(shared.raw.min_keys == 0 && shared.raw.min_keys_percent == 0 && shared.raw.schema == nullptr);
  CHECK_THROWS(remora::errc::invalid_argument, remora::client{remora::config()});
}

TEST("each option of a collection is passed to the C API") {
  remora::collection_options options("name");
  options.bucket = "bucket";
  options.server = "server";
  options.root_sha256 = "root";
  options.signer = "signer";
  options.trust = remora::trust::off;
  options.activation = remora::activation::manual;
  options.previous_roots = {"old", "older"};
  options.trusted_hosts = {"host"};
  options.max_future = 1h;
  options.packaged_file = "file";
  options.packaged_data = sample;
  options.packaged_attachments = "folder";
  options.first_fetch = remora::first_fetch::at_open;
  options.persist_overrides = true;
  options.refresh_interval = 2s;
  options.min_keys = 5;
  options.min_keys_percent = 80;
  options.schema = "{}";
  target target;
  const remora::detail::c_collection_options passed(options, target.call);
  const remora_collection_options &raw = passed.raw;
  CHECK_SIZE(sizeof raw, raw.struct_size);
  CHECK_TEXT("name", raw.name);
  CHECK_TEXT("bucket", raw.bucket);
  CHECK_TEXT("server", raw.server);
  CHECK_TEXT("root", raw.root_sha256);
  CHECK_TEXT("signer", raw.signer);
  CHECK_INT(REMORA_TRUST_OFF, raw.trust);
  CHECK_INT(REMORA_ACTIVATION_MANUAL, raw.activation);
  CHECK_TEXT("older", raw.previous_roots[1]);
  CHECK(raw.previous_roots[2] == nullptr);
  CHECK_TEXT("host", raw.trusted_hosts[0]);
  CHECK_INT(3600000, raw.max_future_ms);
  CHECK_TEXT("file", raw.packaged_file);
  CHECK(raw.packaged_data == sample.data() && raw.packaged_size == sample.size());
  CHECK_TEXT("folder", raw.packaged_attachments);
  const remora::detail::c_source_options shared(options, target.call);
  CHECK_SIZE(sizeof shared.raw, shared.raw.struct_size);
  CHECK_INT(REMORA_FIRST_FETCH_AT_OPEN, shared.raw.first_fetch);
  CHECK_INT(1, shared.raw.persist_overrides);
  CHECK_INT(2000, shared.raw.refresh_interval_ms);
  CHECK_INT(5, shared.raw.min_keys);
  CHECK_INT(80, shared.raw.min_keys_percent);
  CHECK_TEXT("{}", shared.raw.schema);
  CHECK(shared.raw.on_event == nullptr && shared.raw.on_event_free_user_data == nullptr);
}

TEST("each option of a bundle is passed to the C API") {
  remora::bundle_options options("url");
  options.name = "name";
  options.accepted_schema = "schema";
  options.method = remora::method::post;
  options.activation = remora::activation::immediate;
  options.default_bundle = "default";
  options.default_version = 4;
  target target;
  const remora::detail::c_bundle_options passed(options, target.call);
  CHECK_TEXT("url", passed.raw.url);
  CHECK_TEXT("name", passed.raw.name);
  CHECK_TEXT("schema", passed.raw.accepted_schema);
  CHECK_INT(REMORA_METHOD_POST, passed.raw.method);
  CHECK_INT(REMORA_ACTIVATION_IMMEDIATE, passed.raw.activation);
  CHECK_TEXT("default", passed.raw.default_bundle);
  CHECK_INT(4, passed.raw.default_version);
}

TEST("each option of settings is passed to the C API") {
  remora::settings_options options("url");
  options.request_params = {{"user", "a"}, {"app", "b"}};
  options.root_key = "root";
  options.tag = "tag";
  options.tag_item = "item";
  options.activation = remora::activation::next_setup;
  options.memory_only = true;
  options.ttl = remora::disabled;
  options.packaged_file = "file";
  options.packaged_data = "{}";
  options.required_keys = {"a", "b"};
  target target;
  const remora::detail::c_settings_options passed(options, target.call);
  const remora_settings_options &raw = passed.raw;
  CHECK_TEXT("url", raw.url);
  CHECK_TEXT("user", raw.request_params[0]);
  CHECK_TEXT("a", raw.request_params[1]);
  CHECK_TEXT("b", raw.request_params[3]);
  CHECK(raw.request_params[4] == nullptr);
  CHECK_TEXT("root", raw.root_key);
  CHECK_TEXT("tag", raw.tag);
  CHECK_TEXT("item", raw.tag_item);
  CHECK_INT(REMORA_ACTIVATION_NEXT_SETUP, raw.activation);
  CHECK_INT(1, raw.memory_only);
  CHECK_INT(-1, raw.ttl_ms);
  CHECK_TEXT("file", raw.packaged_file);
  CHECK_TEXT("{}", raw.packaged_data);
  CHECK_SIZE(2, raw.packaged_size);
  CHECK_TEXT("b", raw.required_keys[1]);
  CHECK(raw.required_keys[2] == nullptr);
}

TEST("each option of a refresh and of an attachment is passed to the C API") {
  remora::refresh_options refresh(5s);
  refresh.force = true;
  refresh.only_if_empty = true;
  refresh.expected_version = 9;
  const remora_refresh_options raw = remora::detail::to_c(refresh);
  CHECK(raw.force == 1 && raw.only_if_empty == 1 && raw.expected_version == 9);
  local_scene scene;
  remora::attachment_options attachment(5s);
  attachment.snapshot = scene.source.snapshot();
  attachment.max_bytes = 8;
  attachment.by_location = true;
  attachment.local_only = true;
  const remora::detail::c_attachment_options passed(attachment);
  CHECK(passed.raw.snapshot == attachment.snapshot.native_handle() && passed.raw.max_bytes == 8);
  CHECK(passed.raw.by_location == 1 && passed.raw.local_only == 1 && passed.raw.on_progress == nullptr);
}

TEST("a timeout is rounded up to milliseconds, and a negative timeout means 0") {
  const auto passed = [](auto duration) { return remora::detail::timeout(remora::refresh_options(duration).timeout); };
  CHECK_INT(5000, passed(5s));
  CHECK_INT(60000, passed(1min));
  CHECK_INT(1, passed(1ns));
  CHECK_INT(2, passed(1001us));
  CHECK_INT(1500, passed(std::chrono::duration<double>(1.5)));
  CHECK_INT(0, passed(0s));
  CHECK_INT(0, passed(-1ms));
  CHECK_INT(0, passed(std::chrono::hours::min()));
  CHECK_INT(0, passed(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())));
  CHECK_INT(-1, passed(remora::no_limit));
  CHECK_INT(-1, passed(std::chrono::hours::max()));
  CHECK_INT(-1, passed(std::chrono::duration<double>(1e300)));
}

TEST("requests have the headers and the user agent of the client") {
  local_server server;
  remora::config config = in_memory(server.url());
  config.headers = {"X-Test: cpp"};
  config.user_agent = "Host/1";
  const remora::client client(config);
  const remora::source source = client.open_collection(unsigned_collection());
  CHECK_SAME(remora::outcome::updated, source.refresh(deadline));
  CHECK(server.last_head().find("X-Test: cpp\r\n") != std::string::npos);
  CHECK(server.last_head().find("User-Agent: Host/1\r\n") != std::string::npos);
}

TEST("preconnect sends a request that names the application and the platform") {
  local_server server;
  remora::config config;
  config.application_name = "host";
  remora::preconnect(config, std::string(server.url()) + "/warm", "test");
  CHECK(loopback_await_requests(server.get(), 1));
  CHECK(server.last_head().find("GET /warm?app=host&platform=test ") == 0);
  remora::preconnect(config, std::string(server.url()) + "/warm");
  CHECK(loopback_await_requests(server.get(), 2));
  CHECK(server.last_head().find("platform=linux ") != std::string::npos);
  std::error_code code;
  remora::preconnect(config, "no url", "", code);
  CHECK_SAME(remora::errc::invalid_argument, code);
}

TEST("the C++ headers and the library have the same version") { CHECK_VIEW(REMORA_VERSION, remora::version()); }

} // namespace
