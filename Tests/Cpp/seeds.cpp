// SPDX-License-Identifier: Apache-2.0

// Seeds: the request of an installer, and the file that it saves.
#include <fstream>

#include "support.hpp"

namespace {

using remora::errc;

TEST("an installer's request for initial data has a URL, a method and headers") {
  remora::config config("unused");
  config.application_name = "host";
  config.application_version = "1";
  config.headers = {"X-Key: secret"};
  remora::settings_options settings("http://127.0.0.1:1/x");
  settings.request_params = {{"user", "a&b"}};
  remora::seed_options options = settings;
  options.identifier = "installer";
  const remora::seed_request request = remora::make_seed_request(config, options);
  CHECK_VIEW("http://127.0.0.1:1/x?user=a%26b&identifier=installer&app=host&version=1", request.url);
  CHECK_VIEW("GET", request.method);
  REQUIRE(request.headers.size() == 2);
  CHECK(request.headers[0].find("User-Agent: host/1 ") == 0);
  CHECK_VIEW("X-Key: secret", request.headers[1]);
}

TEST("an installer's request can be made for a bundle that has a URL") {
  const remora::config config("unused");
  remora::bundle_options bundle("http://127.0.0.1:1/b");
  bundle.method = remora::method::post;
  CHECK_VIEW("POST", remora::make_seed_request(config, bundle).method);
  CHECK_THROWS(errc::invalid_argument, remora::make_seed_request(config, remora::bundle_options()));
  std::error_code code;
  CHECK(remora::make_seed_request(config, remora::bundle_options(), code).url.empty());
  CHECK_SAME(errc::invalid_argument, code);
}

TEST("settings that an installer saved are read when they are opened") {
  const temporary_directory directory;
  const std::string file = directory.path() + "/download";
  std::ofstream(file) << R"({"a":7,"experiments":7})";
  remora::config config(directory.path() + "/store");
  int warnings = 0;
  config.on_log = [&](const remora::log_entry &entry) {
    CHECK(entry.level == remora::log_level::warning);
    ++warnings;
  };
  remora::settings_options settings("http://127.0.0.1:1/x");
  settings.first_fetch = remora::first_fetch::on_request;
  remora::seed_options options = settings;
  options.fetched_at = remora::time_point(1500000000s);
  remora::save_seed(config, options, file);
  CHECK_INT(1, warnings);
  CHECK_THROWS(errc::storage, remora::save_seed(config, options, file + "-missing"));
  config.on_log = nullptr;
  const remora::client client(config);
  const remora::source source = client.open_settings(settings);
  CHECK(source.get_int("a") == 7);
  CHECK(source.info().fetched_at == remora::time_point(1500000000s));
}

} // namespace
