// SPDX-License-Identifier: Apache-2.0

// Attachments: opening, sharing, progress and failures.
#include <fstream>
#include <iterator>

#include "support.hpp"

namespace {

using remora::errc;

const char *const text = "hello attachment\n";
const char *const records =
    R"([{"id":"small","last_modified":2000,"attachment":{"filename":"f","mimetype":"text/plain","location":"main/s.txt",)"
    R"("hash":"2852d7262f1fd6339a426560101d5840edf5b8999b90eb6b2eea86c8b9f7e298","size":17}},)"
    R"({"id":"wrong","last_modified":2000,"attachment":{"filename":"f","mimetype":"text/plain","location":"main/s.txt",)"
    R"("hash":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":17}}])";

struct attachment_scene : served_scene {
  attachment_scene() {
    loopback_publish(server.get(), 2000, records, 0, nullptr);
    loopback_attach(server.get(), "main/s.txt", text);
    source.refresh(deadline);
  }
};

TEST("copies of an attachment share its bytes, which stay readable after the client is closed") {
  attachment_scene scene;
  remora::attachment first = scene.source.open_attachment("small", deadline);
  const remora::attachment second = first;
  CHECK_VIEW(text, first.text());
  CHECK(first.data() == second.data() && second.size() == 17 && !second.path());
  first = remora::attachment();
  scene.client.close();
  CHECK_VIEW(text, second.text());
  CHECK(second.data()[0] == std::byte{'h'});
}

TEST("a stored attachment has the path of its file") {
  const temporary_directory directory;
  local_server server;
  loopback_publish(server.get(), 2000, records, 0, nullptr);
  loopback_attach(server.get(), "main/s.txt", text);
  remora::config config(directory.path() + "/store");
  config.server = server.url();
  const remora::client client(config);
  const remora::source source = client.open_collection(unsigned_collection());
  source.refresh(deadline);
  remora::attachment_options options(deadline);
  options.by_location = true;
  const remora::attachment attachment = source.open_attachment("main/s.txt", options);
  const std::optional<std::string_view> path = attachment.path();
  REQUIRE(path.has_value());
  std::ifstream file{std::string(*path)};
  CHECK_VIEW(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST("each reason that an attachment cannot be opened has its own error code") {
  attachment_scene scene;
  CHECK_THROWS(errc::not_found, scene.source.open_attachment("missing", deadline));
  CHECK_THROWS(errc::attachment_mismatch, scene.source.open_attachment("wrong", deadline));
  CHECK_THROWS(errc::timeout, scene.source.open_attachment("small", 0s));
  remora::attachment_options options(deadline);
  options.max_bytes = 16;
  CHECK_THROWS(errc::too_large, scene.source.open_attachment("small", options));
  options.max_bytes = 0;
  options.local_only = true;
  CHECK_THROWS(errc::not_found, scene.source.open_attachment("small", options));
  counter ends;
  std::error_code code;
  scene.source.open_attachment_async("missing", deadline, [end = end_counter(ends)](const remora::result &) {}, code);
  CHECK(code == errc::not_found && ends.count() == 1);
}

TEST("the progress of a download is reported on the calling thread") {
  attachment_scene scene;
  std::int64_t received = 0;
  remora::attachment_options options(deadline);
  options.snapshot = scene.source.snapshot();
  options.on_progress = [&](const remora::progress &progress) {
    CHECK_INT(17, progress.total);
    received = progress.received;
  };
  CHECK_SIZE(17, scene.source.open_attachment("small", options).size());
  CHECK_INT(17, received);
}

TEST("an asynchronous opening passes the attachment to its completion callback") {
  attachment_scene scene;
  counter calls, ends, progressed;
  remora::attachment kept;
  remora::attachment_options options(deadline);
  options.on_progress = [&, end = end_counter(ends)](const remora::progress &) { progressed.add(); };
  scene.source.open_attachment_async("small", options, [&, end = end_counter(ends)](const remora::result &result) {
    kept = result.attachment();
    calls.add();
  });
  options.on_progress = nullptr;
  CHECK(calls.await(1) && ends.await(2) && progressed.count() >= 1);
  CHECK_VIEW(text, kept.text());
}

} // namespace
