// SPDX-License-Identifier: Apache-2.0
//
// Cold start until the first value from the cache, at 1,000, 10,000 and 100,000
// settings: in the process, and as a whole process from posix_spawn to its exit. Each
// contender is a separate program that loads only its own libraries. Then the first and the
// second start of a program with packaged data.
//
// Usage: cold SCRATCH_DIR [once]. Prints <program>.<settings>.{first,process} and
// cold_packaged.{first,second} in nanoseconds. With once, starts each program of 1,000
// settings once, for a profile.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host.h"
#include "measure.h"
#include "settings_server.h"

extern char **environ;

namespace {

constexpr std::size_t sizes[] = {1000, 10000, 100000};

int repetitions = 7;

struct Start {
  double process_ns;
  double first_ns; // 0 if the program prints no time
};

std::string program_folder() {
  std::string path(4096, '\0');
  ssize_t length = readlink("/proc/self/exe", &path[0], path.size());
  if (length <= 0) fail("cannot find this program's folder");
  path.resize(static_cast<std::size_t>(length));
  return path.substr(0, path.rfind('/') + 1);
}

Start start(const std::vector<std::string> &command) {
  std::vector<char *> arguments;
  for (const std::string &word : command) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  double begin = wall_ns();
  pid_t child;
  if (posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0)
    fail("cannot start %s", arguments[0]);
  int status;
  waitpid(child, &status, 0);
  double end = wall_ns();
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char text[128] = {0};
  ssize_t got = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  if (status != 0) fail("%s failed", arguments[0]);
  double first = 0;
  if (got > 0 && std::sscanf(text, "first %lf", &first) != 1) fail("%s printed no time", arguments[0]);
  return {end - begin, first};
}

// Fetches the settings once, so that the storage directory contains their image.
std::string fill_cache(const std::string &storage, const workload *settings) {
  settings_server *server = settings_server_start(settings, WORKLOAD_BOOL);
  std::string url = settings_server_url(server);
  host remora = host_open(storage.c_str(), url.c_str(), nullptr, 0);
  host_refresh(&remora, REMORA_OUTCOME_UPDATED);
  host_expect_count(&remora, settings->count);
  host_close(remora);
  remora = host_open(storage.c_str(), url.c_str(), nullptr, 0);
  host_expect_origin(&remora, REMORA_ORIGIN_CACHED);
  host_close(remora);
  settings_server_stop(server);
  return url;
}

// Writes a document, and frees it.
void write_file(const std::string &path, char *document, std::size_t size) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(document, 1, size, file) != size || std::fclose(file) != 0) fail("cannot write the file");
  std::free(document);
}

void run(const std::string &scratch, std::size_t count) {
  std::string folder = program_folder();
  std::string name = std::to_string(count);
  std::string storage = scratch + "/remora-" + name;
  std::string file = scratch + "/rival-" + name + ".json";
  workload *settings = workload_create(count);
  std::string url = fill_cache(storage, settings);
  std::size_t size;
  char *document = workload_flat(settings, WORKLOAD_BOOL, 0, &size);
  write_file(file, document, size);
  std::size_t index = count / 2;
  std::string key = settings->keys[index];
  std::string expected = std::to_string(workload_bool(index, 0));
  workload_free(settings);

  std::vector<std::vector<std::string>> commands = {
      {folder + "cold_empty"},
      {folder + "cold_remora", storage, url, key, expected},
      {folder + "cold_rival", file, key, expected},
  };
  std::string swift = folder + "cold_empty_swift";
  if (access(swift.c_str(), X_OK) == 0) commands.push_back({swift});

  std::map<std::string, std::vector<double>> results;
  for (int repetition = -1; repetition < repetitions; repetition++)
    for (const auto &command : commands) {
      Start one = start(command);
      if (repetition < 0) continue; // warms the page cache
      std::string row = command[0].substr(folder.size()) + "." + name;
      results[row + ".process"].push_back(one.process_ns);
      if (one.first_ns > 0) results[row + ".first"].push_back(one.first_ns);
    }
  for (auto &result : results) emit(result.first.c_str(), median(result.second.data(), result.second.size()));
}

// The first start compiles packaged data and stores its image. The second start reads and hashes the data, and maps
// the image.
void run_packaged(const std::string &scratch) {
  std::string storage = scratch + "/remora-packaged";
  std::string file = scratch + "/packaged.json";
  workload *settings = workload_create(WORKLOAD_NESTED_LARGE);
  std::size_t size;
  char *document = workload_records(settings, WORKLOAD_NESTED, "data", settings->count, 0, &size);
  write_file(file, document, size);
  std::size_t index = settings->count / 2;
  std::vector<std::string> command = {program_folder() + "cold_packaged", storage, file, settings->keys[index],
                                      std::to_string(workload_bool(index, 0))};
  workload_free(settings);
  std::vector<double> first, second;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    std::filesystem::remove_all(storage);
    first.push_back(start(command).first_ns);
    second.push_back(start(command).first_ns);
  }
  emit("cold_packaged.first", median(first.data(), first.size()));
  emit("cold_packaged.second", median(second.data(), second.size()));
}

} // namespace

int main(int argc, char **argv) {
  bool once = argc == 3 && std::string(argv[2]) == "once";
  if (argc != 2 && !once) fail("usage: cold SCRATCH_DIR [once]");
  if (once) {
    repetitions = 0;
    run(argv[1], sizes[0]);
    return 0;
  }
  for (std::size_t count : sizes) run(argv[1], count);
  run_packaged(argv[1]);
}
