// SPDX-License-Identifier: Apache-2.0
// Uses a remote configuration in an application with a tracker: bundle URL STORAGE_DIR
//
// Opens a bundle with a default and a callback. The callback prints "success" with state and namespaces where a tracker
// calls onSuccess, and "event" for every other event. Then the program waits for the first refresh, overrides the user
// id and refreshes again. Exits with 0 even if the server cannot be reached.
#include <iostream>
#include <remora.hpp>
#include <sstream>

using namespace std::chrono_literals;

static const char *const default_bundle = R"([{
  "namespace": "app",
  "networkConfiguration": {"endpoint": "https://collector.example", "method": "post"},
  "trackerConfiguration": {"appId": "example", "sessionContext": true},
  "subjectConfiguration": {"userId": "nobody"}
}])";

// Prints each line with one call, because main prints on another thread.
static void on_event(const remora::event &event) {
  std::ostringstream line;
  if (const auto active = event.configuration()) {
    line << "success state=" << remora::to_string(active->state) << " namespaces=";
    for (const auto name : active->namespaces) line << (name == active->namespaces.front() ? "" : ",") << name;
    line << " version=" << event.version();
  } else {
    line << "event cause=" << remora::to_string(event.cause()) << " outcome=" << remora::to_string(event.outcome());
    if (const auto reason = event.reason()) line << " error=" << remora_status_name(reason.code.value());
  }
  std::cout << line.str() + "\n" << std::flush;
}

static void refresh(const remora::source &bundle) {
  remora::failure failure;
  bundle.refresh(10s, failure);
  if (failure) std::cerr << failure.message << "\n";
}

static void print_app(const remora::source &bundle) {
  std::cout << "app endpoint=" + bundle.get_string("app", "/networkConfiguration/endpoint", "none") +
                   " user=" + bundle.get_string("app", "/subjectConfiguration/userId", "none") +
                   " session=" + std::to_string(bundle.get_bool("app", "/trackerConfiguration/sessionContext", true)) +
                   "\n"
            << std::flush;
}

int main(int argc, char **argv) try {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " URL STORAGE_DIR\n";
    return 2;
  }
  remora::config config(argv[2]);
  config.application_name = "example";
  const remora::client client(config);
  remora::bundle_options options(argv[1]);
  options.default_bundle = default_bundle;
  options.default_version = 1;
  options.on_event = on_event;
  const remora::source bundle = client.open_bundle(options);
  refresh(bundle); // Opening started a refresh. This call joins it, or sends a request if it has completed.
  for (const auto &entry : bundle.namespaces())
    std::cout << "namespace " + entry.name + (entry.is_default ? " (default)" : "") +
                     (entry.in_bundle ? "" : " (not in this bundle)") + "\n"
              << std::flush;
  print_app(bundle);
  // Like a tracker's controller at run time. It overrides every bundle, but a removed namespace does not reappear.
  std::error_code missing;
  bundle.set_override("app", "/subjectConfiguration/userId", "me", remora::override_mode::if_exists, missing);
  refresh(bundle);
  print_app(bundle);
} catch (const remora::error &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
