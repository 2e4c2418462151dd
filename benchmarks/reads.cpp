// SPDX-License-Identifier: Apache-2.0
//
// The time of one read among 10,000 settings, in the same random order for all
// contenders: Remora's snapshots and sources, the rival, the bare table. Prints the
// processor time of the reading thread per read, with 1 and with 2 threads.
//
// Names: remora.<handle>.<what is read>, rival.<shape>.<type>, table.<type>, then the threads.
// "member" is member "v" of the record of the key, in one call; "steps" is the same with
// one call per step; "record" is the look-up of the record alone. "bound" is one bound key, read again and again.

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "host.h"
#include "readers.hpp"
#include "rival.hpp"
#include "table.h"
#include "workload.h"

namespace {

constexpr std::size_t setting_count = 10000;
constexpr std::size_t passes = 10;
constexpr std::size_t repetitions = 5;

struct Contender {
  std::string name;
  bench::Pass pass;
  std::vector<double> costs[2]; // by threads - 1
};

// One kind of setting, bool or string, in all contenders.
struct Stage {
  Stage(const workload *settings, workload_kind kind)
      : nested(rival::Shape::records, "", ""), flat(rival::Shape::flat, "", ""), bare(table_create(settings->count)) {
    std::size_t size;
    char *records = workload_records(settings, kind, "data", settings->count, 0, &size);
    remora = host_open(REMORA_STORAGE_MEMORY, nullptr, records, size);
    host_expect_count(&remora, settings->count);
    if (!nested.replace(records, size)) fail("the rival refuses the records");
    std::free(records);
    char *dictionary = workload_flat(settings, kind, 0, &size);
    if (!flat.replace(dictionary, size)) fail("the rival refuses the dictionary");
    std::free(dictionary);
    if (remora_snapshot_acquire(remora.source, 0, &snapshot, nullptr) != REMORA_OK) fail("no snapshot");
    strings.resize(settings->count);
    for (std::size_t i = 0; i < settings->count; i++) {
      char text[WORKLOAD_STRING_SIZE];
      workload_string(i, 0, text);
      strings[i] = text;
      table_put(bare, settings->keys[i], workload_bool(i, 0), strings[i].c_str());
    }
  }

  ~Stage() {
    remora_snapshot_release(snapshot);
    host_close(remora);
    table_free(bare);
  }

  Stage(const Stage &) = delete;
  Stage &operator=(const Stage &) = delete;

  host remora = {nullptr, nullptr};
  remora_snapshot *snapshot = nullptr;
  rival::Settings nested;
  rival::Settings flat;
  table *bare;
  std::vector<std::string> strings; // the table points to them
};

// The same keys in the same order, in the types of C and C++ hosts.
struct Keys {
  explicit Keys(const workload *settings) : c(settings->reads, settings->reads + settings->count) {
    cpp.assign(c.begin(), c.end());
  }
  std::vector<const char *> c;
  std::vector<std::string> cpp;
};

// One bound key of a source, read once per setting.
struct BoundKey {
  explicit BoundKey(const Stage &stage, const Keys &keys) {
    remora_key *key = nullptr;
    if (remora_key_bind(stage.remora.source, keys.c[0], HOST_POINTER, &key, nullptr) != REMORA_OK) fail("no bound key");
    reads.assign(keys.c.size(), key);
  }
  ~BoundKey() { remora_key_release(reads[0]); }
  BoundKey(const BoundKey &) = delete;
  BoundKey &operator=(const BoundKey &) = delete;
  std::vector<remora_key *> reads;
};

// Uses a string: its first byte and its length.
std::size_t digest(const char *string, std::size_t length) { return length + static_cast<unsigned char>(string[0]); }

void add_bool(std::vector<Contender> &all, const Keys &keys, Stage &stage) {
  const remora_snapshot *snapshot = stage.snapshot;
  remora_source *source = stage.remora.source;
  auto add = [&all](const char *name, bench::Pass pass) { all.push_back({name, std::move(pass), {}}); };
  add("remora.snapshot.record", bench::pass_over(keys.c, [snapshot](const char *key) {
        remora_value record = {nullptr, nullptr};
        remora_snapshot_get(snapshot, key, nullptr, &record, nullptr);
        return reinterpret_cast<std::uintptr_t>(record.node);
      }));
  add("rival.flat.bool",
      bench::pass_over(keys.cpp, [&stage](const std::string &key) { return stage.flat.get_bool(key, false); }));
  add("table.bool", bench::pass_over(keys.c, [&stage](const char *key) { return table_get_bool(stage.bare, key, 0); }));
  add("remora.snapshot.bool.member", bench::pass_over(keys.c, [snapshot](const char *key) {
        std::int32_t value = 0;
        remora_snapshot_get_bool(snapshot, key, HOST_POINTER, &value, nullptr);
        return value;
      }));
  add("rival.record.bool", bench::pass_over(keys.cpp, [&stage](const std::string &key) {
        return stage.nested.get_bool(key, HOST_MEMBER, false);
      }));
  add("remora.source.bool.member",
      bench::pass_over(keys.c, [source](const char *key) { return remora_get_bool(source, key, HOST_POINTER, 0); }));
  add("remora.snapshot.bool.steps", bench::pass_over(keys.c, [snapshot](const char *key) {
        remora_value record;
        remora_value member;
        std::int32_t value = 0;
        if (remora_snapshot_get(snapshot, key, nullptr, &record, nullptr) == REMORA_OK &&
            remora_value_member(record, HOST_MEMBER, &member, nullptr) == REMORA_OK)
          remora_value_get_bool(member, &value, nullptr);
        return value;
      }));
}

void add_string(std::vector<Contender> &all, const Keys &keys, Stage &stage) {
  const remora_snapshot *snapshot = stage.snapshot;
  remora_source *source = stage.remora.source;
  static const std::string none;
  auto add = [&all](const char *name, bench::Pass pass) { all.push_back({name, std::move(pass), {}}); };
  add("remora.snapshot.string.member", bench::pass_over(keys.c, [snapshot](const char *key) {
        const char *string = "";
        std::size_t length = 0;
        remora_snapshot_get_string(snapshot, key, HOST_POINTER, &string, &length, nullptr);
        return digest(string, length);
      }));
  add("rival.record.string", bench::pass_over(keys.cpp, [&stage](const std::string &key) {
        std::string string = stage.nested.get_string(key, HOST_MEMBER, none);
        return digest(string.c_str(), string.size());
      }));
  add("remora.source.string.member", bench::pass_over(keys.c, [source](const char *key) {
        char buffer[64];
        std::size_t length = remora_get_string(source, key, HOST_POINTER, buffer, sizeof buffer, "");
        return digest(buffer, length);
      }));
  add("rival.flat.string", bench::pass_over(keys.cpp, [&stage](const std::string &key) {
        std::string string = stage.flat.get_string(key, none);
        return digest(string.c_str(), string.size());
      }));
  add("table.string", bench::pass_over(keys.c, [&stage](const char *key) {
        const char *string = table_get_string(stage.bare, key, "");
        return digest(string, std::strlen(string));
      }));
}

void add_bound(std::vector<Contender> &all, const BoundKey &boolean, const BoundKey &string) {
  all.push_back({"remora.bound.bool",
                 bench::pass_over(boolean.reads, [](remora_key *key) { return remora_key_get_bool(key, 0); }),
                 {}});
  all.push_back({"remora.bound.string",
                 bench::pass_over(string.reads,
                                  [](remora_key *key) {
                                    char buffer[64];
                                    std::size_t length = remora_key_get_string(key, buffer, sizeof buffer, "");
                                    return digest(buffer, length);
                                  }),
                 {}});
}

// Checks that all contenders read the same values.
void expect_same_answers(const Keys &keys, const Stage &bools, const Stage &strings) {
  for (std::size_t i = 0; i < keys.c.size(); i++) {
    bool boolean = table_get_bool(bools.bare, keys.c[i], 0) != 0;
    std::string string = table_get_string(strings.bare, keys.c[i], "");
    char buffer[64];
    remora_get_string(strings.remora.source, keys.c[i], HOST_POINTER, buffer, sizeof buffer, "");
    if ((remora_get_bool(bools.remora.source, keys.c[i], HOST_POINTER, !boolean) != 0) != boolean ||
        bools.flat.get_bool(keys.cpp[i], !boolean) != boolean ||
        bools.nested.get_bool(keys.cpp[i], HOST_MEMBER, !boolean) != boolean || string != buffer ||
        strings.flat.get_string(keys.cpp[i], "") != string ||
        strings.nested.get_string(keys.cpp[i], HOST_MEMBER, "") != string)
      fail("%s has different values", keys.c[i]);
  }
}

} // namespace

int main() {
  workload *settings = workload_create(setting_count);
  {
    Keys keys(settings);
    Stage bools(settings, WORKLOAD_BOOL);
    Stage strings(settings, WORKLOAD_STRING);
    expect_same_answers(keys, bools, strings);
    std::vector<Contender> all;
    add_bool(all, keys, bools);
    add_string(all, keys, strings);
    BoundKey bound_bool(bools, keys), bound_string(strings, keys);
    add_bound(all, bound_bool, bound_string);
    auto enough = [](std::size_t done) { return done >= passes; };
    for (std::size_t repetition = 0; repetition < repetitions; repetition++)
      for (unsigned threads = 1; threads <= 2; threads++)
        for (Contender &one : all)
          one.costs[threads - 1].push_back(bench::cost_of_reads(one.pass, setting_count, threads, enough).cpu_ns);
    for (Contender &one : all)
      for (unsigned threads = 1; threads <= 2; threads++) {
        std::vector<double> &costs = one.costs[threads - 1];
        emit((one.name + "." + std::to_string(threads) + "t").c_str(), median(costs.data(), costs.size()));
      }
  }
  workload_free(settings);
}
