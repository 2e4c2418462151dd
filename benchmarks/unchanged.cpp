// SPDX-License-Identifier: Apache-2.0
//
// The time of a refresh without changes, for Remora, for the rival, and for a bare libcurl 304.
//
// Threads are pinned. Otherwise the times depend on whether the scheduler puts the threads of a request on one core.
// There are two arrangements, each in a separate process: client and server on one core, and the server on another
// core. In the second one, each request of each contender also includes the time to wake the other core.
//
// Usage: unchanged SCRATCH_DIR. Prints <name>.{wall,cpu} in nanoseconds. The processor time is the time of the process
// without its servers.

#include <curl/curl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "compare.hpp"
#include "host.h"
#include "measure.h"
#include "rival.hpp"
#include "settings_server.h"

namespace {

constexpr int repetitions = 15;
constexpr int batch = 50;
constexpr unsigned client_core = 0;

std::size_t discard(char *, std::size_t size, std::size_t count, void *) { return size * count; }

// One conditional GET on an open connection.
class BareCurl {
 public:
  explicit BareCurl(const char *url) : curl_(curl_easy_init()) {
    headers_ = curl_slist_append(nullptr, "If-None-Match: \"constant\"");
    if (!curl_ || !headers_) fail("libcurl cannot start");
    curl_easy_setopt(curl_, CURLOPT_URL, url);
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  }
  ~BareCurl() {
    curl_easy_cleanup(curl_);
    curl_slist_free_all(headers_);
  }
  BareCurl(const BareCurl &) = delete;
  BareCurl &operator=(const BareCurl &) = delete;

  void get_unchanged() {
    long status = 0;
    if (curl_easy_perform(curl_) == CURLE_OK) curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    if (status != 304) fail("the bare request has status %ld", status);
  }

 private:
  CURL *curl_;
  curl_slist *headers_ = nullptr;
};

// A number of settings, with its server and its contenders.
class Settings {
 public:
  Settings(const std::string &scratch, std::size_t count, unsigned server_core)
      : name_("." + std::to_string(count)), settings_(workload_create(count)) {
    pin_thread(server_core); // The thread of the server inherits the core.
    server_ = settings_server_start(settings_, WORKLOAD_BOOL);
    pin_thread(client_core);
    remora_ = host_open((scratch + name_).c_str(), settings_server_url(server_), nullptr, 0);
    host_refresh(&remora_, REMORA_OUTCOME_UPDATED);
    const char *url = settings_server_constant_url(server_);
    rival_ = std::make_unique<rival::Settings>(rival::Shape::records, url, "");
    if (rival_->refresh() != rival::Outcome::updated) fail("the rival cannot refresh");
    bare_ = std::make_unique<BareCurl>(url);
  }
  ~Settings() {
    host_close(remora_);
    settings_server_stop(server_);
    workload_free(settings_);
  }
  Settings(const Settings &) = delete;
  Settings &operator=(const Settings &) = delete;

  void add_contenders(std::vector<Contender> *contenders, const std::string &arrangement) {
    std::string name = "." + arrangement + name_;
    contenders->push_back({"remora" + name, nothing, [this] { host_refresh(&remora_, REMORA_OUTCOME_UNCHANGED); }});
    contenders->push_back({"curl" + name, nothing, [this] { bare_->get_unchanged(); }});
    contenders->push_back({"rival" + name, nothing, [this] {
                             if (rival_->refresh() != rival::Outcome::unchanged) fail("the rival has no status 304");
                           }});
  }

  double server_cpu_ns() const { return process_cpu_ns() - settings_server_client_cpu_ns(server_); }

 private:
  const std::string name_;
  workload *settings_;
  settings_server *server_ = nullptr;
  host remora_{};
  std::unique_ptr<rival::Settings> rival_;
  std::unique_ptr<BareCurl> bare_;
};

void measure(const std::string &scratch, const std::string &arrangement, unsigned server_core) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  std::vector<std::unique_ptr<Settings>> all;
  std::vector<Contender> contenders;
  for (std::size_t count : {1000, 10000, 100000}) {
    all.push_back(std::make_unique<Settings>(scratch + "/" + arrangement, count, server_core));
    all.back()->add_contenders(&contenders, arrangement);
  }
  auto client_cpu = [&all] {
    double servers = 0;
    for (const auto &one : all) servers += one->server_cpu_ns();
    return process_cpu_ns() - servers;
  };
  compare(client_cpu, contenders, repetitions, batch);
  all.clear();
  curl_global_cleanup();
}

// Measures in a new process, so that no thread of another arrangement exists.
void measure_in_process(const std::string &scratch, const char *arrangement, unsigned server_core) {
  pid_t child = fork();
  if (child == 0) {
    measure(scratch, arrangement, server_core);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) fail("%s: the process failed", arrangement);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: unchanged SCRATCH_DIR");
  measure_in_process(argv[1], "unchanged_one_core", client_core);
  measure_in_process(argv[1], "unchanged_two_cores", client_core + 1);
}
