// SPDX-License-Identifier: Apache-2.0
//
// The time of a signed diff of 10 records into 10,000, stored and published, with its lower limit: verify the
// signature of the content, and copy, checksum and write as many bytes as the image has.
//
// Usage: signed SCRATCH_DIR. Prints <what>.{wall,cpu} in nanoseconds; the processor time is this process's without
// the server's. The server's signatures are not measured.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "host.h"
#include "loopback.h"
#include "measure.h"
#include "signer.h"
#include "store.h"
#include "workload.h"

namespace {

constexpr std::size_t setting_count = 10000;
constexpr std::size_t few = 10;
constexpr int repetitions = 9;
constexpr char signer_name[] = "remote-settings.content-signature.mozilla.org";

// A collection whose server signs it. The answers are created before the requests.
class SignedServer {
 public:
  SignedServer() : settings_(workload_create(setting_count)), signer_(signer_create(signer_name)) {
    order_.resize(settings_->count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [this](std::size_t a, std::size_t b) { return std::strcmp(settings_->keys[a], settings_->keys[b]) < 0; });
    http_ = loopback_start(answer, this);
    origin_ = "http://127.0.0.1:" + std::to_string(loopback_port(http_));
    publish();
  }
  ~SignedServer() {
    loopback_stop(http_);
    signer_free(signer_);
    workload_free(settings_);
  }
  SignedServer(const SignedServer &) = delete;
  SignedServer &operator=(const SignedServer &) = delete;

  // Sets new values for the first records, and a higher version. Call it only while no request is open.
  void publish() {
    version_++;
    std::string records = records_of(settings_->count);
    signed_ = "{\"data\":[" + records + "],\"last_modified\":\"" + std::to_string(version_) + "\"}";
    char signature[SIGNER_SIGNATURE_SIZE];
    signer_sign(signer_, signed_.data(), signed_.size(), signature);
    std::string head = "{\"metadata\":{\"bucket\":\"main\",\"signatures\":[{\"mode\":\"p384ecdsa\",\"signature\":\"" +
                       std::string(signature) + "\",\"x5u\":\"" + origin_ +
                       "/chain\"}]},\"timestamp\":" + std::to_string(version_) + ",\"changes\":[";
    whole_ = head + records + "]}";
    diff_ = head + records_of(few) + "]}";
  }

  void verify() const { signer_verify(signer_, signed_.data(), signed_.size()); }
  std::string url() const { return origin_ + "/v2"; }
  const char *pin() const { return signer_pin(signer_); }
  double client_cpu_ns() const { return process_cpu_ns() - loopback_cpu_ns(http_); }

 private:
  std::string records_of(std::size_t count) const {
    std::string text;
    for (std::size_t place = 0; place < count; place++) {
      std::size_t index = order_[place];
      bool is_new = place < few;
      bool flip = is_new && version_ % 2 != 0;
      long long modified = is_new ? version_ : WORKLOAD_TIMESTAMP - static_cast<long long>(index);
      text += place ? ",{\"id\":\"" : "{\"id\":\"";
      text += settings_->keys[index];
      text += "\",\"last_modified\":" + std::to_string(modified);
      text += workload_bool(index, flip) ? ",\"v\":true}" : ",\"v\":false}";
    }
    return text;
  }

  static void answer(const loopback_request *request, loopback_answer *answer, void *user_data) {
    const SignedServer *self = static_cast<SignedServer *>(user_data);
    answer->status = 200;
    if (std::strcmp(request->target, "/chain") == 0) {
      answer->body = signer_chain(self->signer_, &answer->size);
      return;
    }
    const std::string &body = std::strstr(request->target, "_since=") ? self->diff_ : self->whole_;
    answer->body = body.data();
    answer->size = body.size();
  }

  workload *settings_;
  signer *signer_;
  loopback *http_ = nullptr;
  std::vector<std::size_t> order_; // of keys, by id
  long long version_ = WORKLOAD_TIMESTAMP;
  std::string origin_, signed_, whole_, diff_;
};

// Verifies the signed content; copies, checksums and stores as many bytes as the image has.
void bare(const SignedServer &server, const std::vector<char> &image, const std::string &scratch) {
  server.verify();
  std::vector<char> copy(image);
  keep(XXH3_64bits(copy.data(), copy.size()));
  store(scratch.c_str(), "bare", copy.data(), copy.size());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: signed SCRATCH_DIR");
  std::string scratch = argv[1];
  SignedServer server;
  std::string folder = scratch + "/storage";
  host opened = host_open_signed(folder.c_str(), server.url().c_str(), server.pin());
  host_refresh(&opened, REMORA_OUTCOME_UPDATED);
  std::vector<char> image(host_image_size(folder.c_str()), 'x');

  std::vector<double> walls[2], cpus[2];
  for (int repetition = -1; repetition < repetitions; repetition++) {
    server.publish();
    for (int contender = 0; contender < 2; contender++) {
      double wall = wall_ns();
      double cpu = server.client_cpu_ns();
      if (contender == 0)
        host_refresh(&opened, REMORA_OUTCOME_UPDATED);
      else
        bare(server, image, scratch);
      if (repetition < 0) continue; // loads libraries and data
      cpus[contender].push_back(server.client_cpu_ns() - cpu);
      walls[contender].push_back(wall_ns() - wall);
    }
  }
  const char *names[2] = {"remora.signed", "bare.signed"};
  for (int contender = 0; contender < 2; contender++) {
    std::string name = names[contender];
    emit((name + ".wall").c_str(), median(walls[contender].data(), walls[contender].size()));
    emit((name + ".cpu").c_str(), median(cpus[contender].data(), cpus[contender].size()));
  }
  host_expect_count(&opened, setting_count);
  host_close(opened);
}
