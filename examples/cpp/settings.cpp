// SPDX-License-Identifier: Apache-2.0
// Reads remote settings in an application that keeps its values for a whole session: settings URL STORAGE_DIR
//
// Opens the settings with parameters that describe the user and the application. Prints the live settings: those that
// an earlier run fetched, or the defaults of this program. Reads a setting of a tag, and waits for it at most two
// seconds. Then waits for the refresh that started at the opening, activates its result and prints it. Exits with 0
// even if the server cannot be reached.
#include <cstdio>
#include <iostream>
#include <remora.hpp>

using namespace std::chrono_literals;

// Prints each value. The default is used if the server does not send the value, or sends another type.
static void print_settings(const remora::source &settings) {
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, "%.2f", settings.get_double("ratio", "", 1.0));
  std::cout << "settings origin=" << remora::to_string(settings.info().origin)
            << " limit=" << settings.get_int("limit", "", 10) << " dark=" << settings.get_bool("dark", "", false)
            << " ratio=" << ratio << " title=" << settings.get_string("title", "", "Welcome")
            << " help=" << settings.get_url("help", "", "https://example.org/help") << "\n";
}

int main(int argc, char **argv) try {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " URL STORAGE_DIR\n";
    return 2;
  }
  remora::config config(argv[2]);
  config.application_name = "example";
  const remora::client client(config);
  remora::settings_options options(argv[1]);
  options.request_params = {{"user", "u1"}, {"version", "2.0"}};
  const remora::source settings = client.open_settings(options);
  print_settings(settings);

  // A tag has its own dictionary, whose new versions are live at once. The read returns the fresh value if it arrives
  // in time, else the previous one, else the default.
  const remora::source editor = settings.open_tag("editor");
  remora::failure failure;
  editor.await(2s, failure);
  if (failure) std::cerr << failure.message << "\n";
  std::cout << "editor brush=" << editor.get_int("brush", "", 3) << "\n";

  // Opening started a refresh. This call joins it, or sends a request if it has completed. The first version ever is
  // live at once. Later ones are staged: they become live at activate, or else in the next run.
  settings.refresh(10s, failure);
  if (failure) std::cerr << failure.message << "\n";
  std::cout << "activate " << remora::to_string(settings.activate()) << "\n";
  print_settings(settings);
} catch (const remora::error &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
