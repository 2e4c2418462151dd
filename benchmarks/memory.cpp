// SPDX-License-Identifier: Apache-2.0
//
// How much memory of its own (RssAnon) a host needs on top, at its peak: for an attachment of 100 MB from its first byte
// to its verified file, and for a first refresh of 10,000 records. The server is another process. Beside it the time to
// open the stored attachment again, and what hashing it anew would cost.
//
// Usage: memory SCRATCH_DIR. Prints bytes, and nanoseconds.

#include <openssl/evp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "host.h"
#include "loopback.h"
#include "measure.h"
#include "workload.h"

namespace {

constexpr std::size_t attachment_bytes = 100 << 20;
constexpr std::size_t record_count = 10000;
constexpr int reopenings = 9;

std::string hex_sha256(const void *bytes, std::size_t size) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (!EVP_Digest(bytes, size, digest, &length, EVP_sha256(), nullptr)) fail("no SHA-256");
  std::string text(2 * length, '0');
  for (unsigned i = 0; i < length; i++) snprintf(&text[2 * i], 3, "%02x", digest[i]);
  return text;
}

// What the server process has: a record with an attachment, or many without.
struct Content {
  std::string root, one, many;
  std::vector<char> attachment;
};

void answer(const loopback_request *request, loopback_answer *answer, void *user_data) {
  const Content *content = static_cast<const Content *>(user_data);
  auto give = [answer](const char *bytes, std::size_t size) {
    answer->status = 200;
    answer->body = bytes;
    answer->size = size;
  };
  if (std::strstr(request->target, "/files/")) return give(content->attachment.data(), content->attachment.size());
  if (std::strstr(request->target, "/one/changeset")) return give(content->one.data(), content->one.size());
  if (std::strstr(request->target, "/settings/changeset")) return give(content->many.data(), content->many.size());
  give(content->root.data(), content->root.size());
}

[[noreturn]] void serve(int out) {
  Content content;
  content.attachment.resize(attachment_bytes);
  for (std::size_t i = 0; i < attachment_bytes; i++) content.attachment[i] = static_cast<char>(i * 2654435761U >> 13);
  std::string hash = hex_sha256(content.attachment.data(), attachment_bytes);
  content.one =
      "{\"metadata\":{},\"timestamp\":2,\"changes\":[{\"id\":\"big\",\"last_modified\":2,\"attachment\":{"
      "\"filename\":\"big\",\"mimetype\":\"application/octet-stream\",\"location\":\"big\",\"hash\":\"" +
      hash + "\",\"size\":" + std::to_string(attachment_bytes) + "}}]}";
  workload *settings = workload_create(record_count);
  std::size_t size;
  char *records = workload_records(settings, WORKLOAD_STRING, "changes", record_count, 0, &size);
  content.many.assign(records, size);
  loopback *http = loopback_start(answer, &content);
  int port = loopback_port(http);
  content.root =
      "{\"capabilities\":{\"attachments\":{\"base_url\":\"http://127.0.0.1:" + std::to_string(port) + "/files/\"}}}";
  if (write(out, &port, sizeof port) != sizeof port) fail("nobody waits for the server");
  for (;;) pause();
}

// Memory of this process that no file is behind.
double anonymous_bytes() {
  FILE *status = fopen("/proc/self/status", "re");
  char line[256];
  long kilobytes = 0;
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "RssAnon: %ld", &kilobytes) == 1) break;
  if (status) fclose(status);
  return static_cast<double>(kilobytes) * 1024;
}

// The most that this process had on top while `work` ran.
double peak_of(const std::function<void()> &work) {
  std::atomic<bool> done{false};
  std::atomic<double> peak{0};
  double before = 0;
  std::atomic<bool> ready{false};
  std::thread sampler([&] {
    before = anonymous_bytes();
    ready = true;
    while (!done) {
      double now = anonymous_bytes();
      if (now > peak) peak = now;
      usleep(200);
    }
  });
  while (!ready) usleep(100);
  work();
  done = true;
  sampler.join();
  return peak - before;
}

remora_attachment *open_big(const host &opened) {
  remora_attachment_options options;
  REMORA_INIT(&options);
  options.max_bytes = attachment_bytes;
  remora_error error = {};
  remora_attachment *attachment = nullptr;
  if (remora_attachment_open(opened.source, "big", &options, -1, &attachment, &error) != REMORA_OK)
    fail("remora_attachment_open: %s", error.message);
  if (remora_attachment_size(attachment) != attachment_bytes) fail("the attachment is of another size");
  return attachment;
}

void measure_attachment(const std::string &scratch, const std::string &server) {
  host opened = host_open_collection((scratch + "/attachment").c_str(), server.c_str(), "one");
  host_refresh(&opened, REMORA_OUTCOME_UPDATED);
  remora_attachment *attachment = nullptr;
  emit("remora.attachment.peak", peak_of([&] { attachment = open_big(opened); }));
  std::vector<double> openings, hashings;
  for (int i = 0; i < reopenings; i++) {
    double begin = wall_ns();
    remora_attachment_release(open_big(opened));
    openings.push_back(wall_ns() - begin);
    begin = wall_ns();
    keep(static_cast<std::uint64_t>(hex_sha256(remora_attachment_data(attachment), attachment_bytes)[0]));
    hashings.push_back(wall_ns() - begin);
  }
  emit("remora.attachment.open", median(openings.data(), openings.size()));
  emit("hash.attachment.open", median(hashings.data(), hashings.size()));
  emit("hash.attachment.peak", static_cast<double>(attachment_bytes));
  remora_attachment_release(attachment);
  host_close(opened);
}

void measure_refresh(const std::string &scratch, const std::string &server) {
  // The libraries and threads of a first request are not what is measured.
  host other = host_open_collection(REMORA_STORAGE_MEMORY, server.c_str(), "one");
  host_refresh(&other, REMORA_OUTCOME_UPDATED);
  host opened = host_open_collection((scratch + "/refresh").c_str(), server.c_str(), "settings");
  emit("remora.refresh.peak", peak_of([&] { host_refresh(&opened, REMORA_OUTCOME_UPDATED); }));
  host_expect_count(&opened, record_count);
  workload *settings = workload_create(record_count);
  std::size_t size;
  std::free(workload_records(settings, WORKLOAD_STRING, "changes", record_count, 0, &size));
  workload_free(settings);
  emit("body.refresh.peak", static_cast<double>(size));
  host_close(opened);
  host_close(other);
}

// In a process of its own, so that nobody inherits what somebody else had allocated.
void in_process(const std::function<void()> &measurement) {
  pid_t child = fork();
  if (child == 0) {
    measurement();
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) fail("a measurement failed");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: memory SCRATCH_DIR");
  int ends[2];
  if (pipe(ends) != 0) fail("no pipe");
  pid_t server = fork();
  if (server == 0) serve(ends[1]);
  int port = 0;
  if (server < 0 || read(ends[0], &port, sizeof port) != sizeof port) fail("no server");
  std::string scratch = argv[1];
  std::string url = "http://127.0.0.1:" + std::to_string(port) + "/v2";
  in_process([&] { measure_attachment(scratch, url); });
  in_process([&] { measure_refresh(scratch, url); });
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
}
