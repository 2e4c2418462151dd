// SPDX-License-Identifier: Apache-2.0
// Reads one number of a record: quickstart SERVER_URL COLLECTION KEY POINTER (a server that does not sign).
#include <iostream>
#include <remora.hpp>

using namespace std::chrono_literals;

int main(int argc, char **argv) try {
  if (argc != 5) return 2;
  remora::config config(remora::storage_memory);
  config.server = argv[1];
  config.application_name = "quickstart";
  remora::collection_options collection(argv[2]);
  collection.trust = remora::trust::off;
  const remora::client client(config);
  const remora::source settings = client.open_collection(collection);
  remora::failure failure;
  settings.refresh(5s, failure);
  if (failure) std::cerr << failure.message << "\n";
  std::cout << argv[4] << " = " << settings.get_int(argv[3], argv[4], -1) << "\n";
  return failure ? 1 : 0;
} catch (const remora::error &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
