// SPDX-License-Identifier: Apache-2.0
//
// The additional anonymous memory (RssAnon) of a host at its peak: for an attachment of 100 MB from its first byte to
// its verified file, and for first refreshes of 10,000 records and of realistic records. The server is another process.
// Also the time to open the stored attachment again, and the time to hash it again.
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
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "host.h"
#include "loopback.h"
#include "measure.h"
#include "workload.h"

namespace {

constexpr std::size_t attachment_bytes = 100 << 20;
constexpr int reopenings = 9;

// A collection of records without attachments. `name` is part of the printed names too.
struct Records {
  const char *name;
  workload_kind kind;
  std::size_t count;
};
constexpr Records collections[] = {{"refresh", WORKLOAD_STRING, 10000},
                                   {"nested_small", WORKLOAD_NESTED, WORKLOAD_NESTED_SMALL},
                                   {"nested_large", WORKLOAD_NESTED, WORKLOAD_NESTED_LARGE}};

std::string document_of(const Records &records) {
  workload *settings = workload_create(records.count);
  std::size_t size;
  char *bytes = workload_records(settings, records.kind, "changes", records.count, 0, &size);
  std::string document(bytes, size);
  std::free(bytes);
  workload_free(settings);
  return document;
}

std::string hex_sha256(const void *bytes, std::size_t size) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (!EVP_Digest(bytes, size, digest, &length, EVP_sha256(), nullptr)) fail("no SHA-256");
  std::string text(2 * length, '0');
  for (unsigned i = 0; i < length; i++) snprintf(&text[2 * i], 3, "%02x", digest[i]);
  return text;
}

// The content of the server process: one record with an attachment, and the collections without.
struct Content {
  std::string root, one, documents[std::size(collections)];
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
  for (std::size_t i = 0; i < std::size(collections); i++) {
    const std::string &document = content->documents[i];
    std::string path = std::string("/") + collections[i].name + "/changeset";
    if (std::strstr(request->target, path.c_str())) return give(document.data(), document.size());
  }
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
  for (std::size_t i = 0; i < std::size(collections); i++) content.documents[i] = document_of(collections[i]);
  loopback *http = loopback_start(answer, &content);
  int port = loopback_port(http);
  content.root =
      "{\"capabilities\":{\"attachments\":{\"base_url\":\"http://127.0.0.1:" + std::to_string(port) + "/files/\"}}}";
  if (write(out, &port, sizeof port) != sizeof port) fail("cannot send the server's port");
  for (;;) pause();
}

// The anonymous memory of this process.
double anonymous_bytes() {
  FILE *status = fopen("/proc/self/status", "re");
  char line[256];
  long kilobytes = 0;
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "RssAnon: %ld", &kilobytes) == 1) break;
  if (status) fclose(status);
  return static_cast<double>(kilobytes) * 1024;
}

// The largest additional memory of this process while `work` ran.
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
  if (remora_attachment_size(attachment) != attachment_bytes) fail("the attachment has another size");
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

void measure_refresh(const std::string &scratch, const std::string &server, const Records &records) {
  // The libraries and threads of a first request are not measured.
  host other = host_open_collection(REMORA_STORAGE_MEMORY, server.c_str(), "one");
  host_refresh(&other, REMORA_OUTCOME_UPDATED);
  std::string name = records.name;
  std::string folder = scratch + "/" + name;
  host opened = host_open_collection(folder.c_str(), server.c_str(), records.name);
  emit(("remora." + name + ".peak").c_str(), peak_of([&] { host_refresh(&opened, REMORA_OUTCOME_UPDATED); }));
  host_expect_count(&opened, records.count);
  emit(("body." + name + ".peak").c_str(), static_cast<double>(document_of(records).size()));
  double image = static_cast<double>(host_image_size(folder.c_str()));
  emit(("limit." + name + ".peak").c_str(), 1.25 * image + 1e6);
  host_close(opened);
  host_close(other);
}

// Runs in a separate process, so that memory of earlier measurements is not counted.
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
  for (const Records &records : collections) in_process([&] { measure_refresh(scratch, url, records); });
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
}
