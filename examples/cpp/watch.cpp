// SPDX-License-Identifier: Apache-2.0

// Watches a collection until it changes:
//
//   watch SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR [PACKAGED_JSON]
//
// ROOT_SHA256 may be "off", for a server that does not sign. Prints the state at the start ("state" and "key" lines),
// refreshes, prints the result ("event" and "change" lines) and then "ready". Then refreshes until one more event has
// changes, prints it and exits with 0, or with 1 if no such event arrives within 60 seconds. Each line is written at
// once, so that a script can read it.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <remora.hpp>
#include <string>

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

// A space and the JSON text; nothing for the value of a deleted key.
std::string json_of(const remora::value &value) {
  const std::optional<std::string> json = value.get_json();
  return json ? " " + *json : "";
}

void print_state(const remora::event &event) {
  const remora::snapshot &snapshot = event.new_snapshot();
  std::cout << "state origin=" << to_string(event.origin()) << " version=" << event.version()
            << " keys=" << snapshot.size() << std::endl;
  for (const auto &[key, value] : snapshot) std::cout << "key " << key << json_of(value) << std::endl;
}

void print_event(const remora::event &event) {
  std::cout << "event cause=" << to_string(event.cause()) << " outcome=" << to_string(event.outcome())
            << " origin=" << to_string(event.origin()) << " version=" << event.version()
            << " changes=" << event.changes().size() << std::endl;
  if (const remora::failure reason = event.reason())
    std::cout << "error " << reason.code.message() << " " << reason.message << std::endl;
  if (const remora::failure reason = event.storage_error()) std::cout << "storage " << reason.message << std::endl;
  for (const remora::change &change : event.changes())
    std::cout << "change " << to_string(change.kind) << " " << change.key << json_of(change.new_value) << std::endl;
}

// Prints events on the thread of the library, and counts them for the main thread.
class watcher {
 public:
  void receive(const remora::event &event) {
    const bool is_state = event.cause() == remora::cause::opened;
    if (is_state)
      print_state(event);
    else if (refreshed_ == 0 || event.outcome() != remora::outcome::unchanged)
      print_event(event);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_state) ++opened_;
    if (event.cause() == remora::cause::refreshed) ++refreshed_;
    if (!is_state && !event.changes().empty()) ++with_changes_;
    changed_.notify_all();
  }
  // Refreshes until an event has changes; false if the deadline expires first.
  bool watch(const remora::source &source) {
    const steady_clock::time_point deadline = steady_clock::now() + 60s;
    if (!wait([&] { return opened_ > 0; }, deadline)) return false;
    source.refresh(30s, remora::ignored); // A failure is in its event.
    if (!wait([&] { return refreshed_ > 0; }, deadline)) return false;
    const int seen = with_changes();
    std::cout << "ready" << std::endl;
    while (steady_clock::now() < deadline) {
      if (wait([&] { return with_changes_ > seen; }, steady_clock::now() + 200ms)) return true;
      source.refresh(30s, remora::ignored);
    }
    return false;
  }

 private:
  template <class Condition>
  bool wait(Condition condition, steady_clock::time_point deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_until(lock, deadline, condition);
  }
  int with_changes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return with_changes_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int opened_ = 0;       // Events of the start.
  int refreshed_ = 0;    // Events of refreshes.
  int with_changes_ = 0; // Events with changes, without that of the start.
};

} // namespace

int main(int argc, char **argv) try {
  if (argc != 5 && argc != 6) {
    std::cerr << "usage: " << argv[0] << " SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]\n";
    return 2;
  }
  watcher watcher;
  remora::config config(argv[4]);
  config.server = argv[1];
  config.application_name = "example";
  remora::collection_options collection(argv[3]);
  if (std::string(argv[2]) == "off")
    collection.trust = remora::trust::off;
  else
    collection.root_sha256 = argv[2];
  if (argc == 6) collection.packaged_file = argv[5];
  collection.on_event = [&](const remora::event &event) { watcher.receive(event); };
  const remora::client client(config);
  return watcher.watch(client.open_collection(collection)) ? 0 : 1;
} catch (const remora::error &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
