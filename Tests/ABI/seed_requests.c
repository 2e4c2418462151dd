/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "seeding": the request with which an installer downloads a seed. */
#include "seed_scene.h"

static void check_request(const char *expected, const remora_seed_options *options) {
  kept_request kept = {.text = ""};
  CHECK_STATUS(REMORA_OK, remora_seed_request(&config, options, keep_request, &kept, &error));
  CHECK_TEXT(expected, kept.text);
  CHECK_INT(1, kept.calls);
  CHECK(pthread_equal(pthread_self(), kept.thread));
}

#define AGENT(name) "User-Agent: " name " Remora/" REMORA_VERSION "; "

TEST("remora_seed_request calls its callback once, with the request of an installer") {
  const char *const headers[] = {"X-Key: secret", NULL};
  const char *const agent[] = {"user-agent: host", NULL};
  const char *const parameters[] = {"user", "a&b", "build", "mine", NULL};
  remora_seed_options options = seed_of_settings();
  check_request("GET " NO_SERVER "/x?identifier=seed; " AGENT("unknown/0"), &options);
  config.application_name = "A B";
  config.application_version = "1.2";
  config.application_build = "3";
  config.headers = headers;
  options.identifier = "a/b";
  settings.request_params = parameters;
  settings.tag = "t";
  check_request("GET " NO_SERVER "/x?user=a%26b&build=mine&tag=t&identifier=a%2Fb&app=A%20B&version=1.2; " AGENT(
                    "A B/1.2 (3)") "X-Key: secret; ",
                &options);
  config.headers = agent;
  settings.url = NO_SERVER "/x?app=%41&identifier";
  settings.request_params = NULL;
  settings.tag = NULL;
  check_request("GET " NO_SERVER "/x?app=%41&identifier&version=1.2&build=3; user-agent: host; ", &options);
  options.settings = NULL;
  options.bundle = &bundle;
  bundle.method = REMORA_METHOD_POST;
  check_request("POST " NO_SERVER "/x; user-agent: host; ", &options);
}

static void request_inside(const remora_http_request *request, void *user_data) {
  (void)request;
  remora_seed_options *options = user_data;
  check_request("GET " NO_SERVER "/x?identifier=seed; " AGENT("unknown/0"), options);
}

TEST("the callback of remora_seed_request can call functions of the library") {
  remora_seed_options options = seed_of_settings();
  CHECK_STATUS(REMORA_OK, remora_seed_request(&config, &options, request_inside, &options, &error));
}
