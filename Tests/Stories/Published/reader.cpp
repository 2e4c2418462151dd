// SPDX-License-Identifier: Apache-2.0

// Reads a published tree in C++; see Tests/Stories/published.py for the commands and answers.
#include <chrono>
#include <iostream>
#include <remora.hpp>
#include <string>

namespace {

constexpr std::chrono::seconds limit(30);

remora::source open(const remora::client &client, const char *name, const char *root) {
  remora::collection_options options(name);
  options.root_sha256 = root;
  return client.open_collection(options);
}

void answer(const std::string &command, const remora::client &client, const remora::source &limits,
            const remora::source &files) {
  if (command == "refresh") {
    limits.refresh(limit);
    const remora::snapshot snapshot = limits.snapshot();
    std::cout << "{\"per_day\": " << snapshot.get_int("uploads", "/per_day").value_or(-1)
              << ", \"limits\": " << snapshot.size() << ", \"files\": " << files.snapshot().size()
              << ", \"verified\": " << (snapshot.info().verified ? "true" : "false") << "}" << std::endl;
  } else if (command == "sync") {
    const remora::sync_report report = client.sync(limit);
    std::cout << "{\"updated\": " << report.updated << ", \"unchanged\": " << report.unchanged
              << ", \"failed\": " << report.failed << "}" << std::endl;
  } else {
    const remora::attachment attachment = files.open_attachment("logo", limit);
    std::cout << "{\"content\": \"" << attachment.text() << "\"}" << std::endl;
  }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc != 5) return 2;
  remora::config config(argv[4]);
  config.server = argv[1];
  config.ca_file = argv[3];
  const remora::client client(config);
  client.set_context("{\"app_version\": \"2.0\"}");
  const remora::source limits = open(client, "limits", argv[2]), files = open(client, "files", argv[2]);
  for (std::string command; std::getline(std::cin, command);) try {
      answer(command, client, limits, files);
    } catch (const remora::error &error) {
      std::cout << "{\"error\": \"" << remora_status_name(error.code().value()) << "\"}" << std::endl;
    }
} catch (const remora::error &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
