// SPDX-License-Identifier: Apache-2.0

/// @file seed.hpp Seeds: data that an installer downloads and saves before the program runs.
#ifndef REMORA_SEED_HPP
#define REMORA_SEED_HPP

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <remora/client.hpp>

namespace remora {

/// The source of a seed (data that an installer saves before the program runs). Pass the options with which the program
/// opens the source. The members inherited from source_options are not used. See remora_seed_options.
struct seed_options {
  /// @param options The options with which the program opens the source.
  seed_options(collection_options options) : source(std::move(options)) {}
  seed_options(bundle_options options) : source(std::move(options)) {}
  seed_options(settings_options options) : source(std::move(options)) {}

  std::variant<collection_options, bundle_options, settings_options> source; ///< Options of the program.
  std::string identifier;               ///< Name of the installer, sent to the server; default "seed".
  std::optional<time_point> fetched_at; ///< Time of the download; default: modification time of the file.
};

/// The request that an installer sends with its own HTTP library; the response is the file for save_seed().
struct seed_request {
  std::string url;                  ///< The URL, with its query.
  std::string method;               ///< "GET", or "POST" with an empty body.
  std::vector<std::string> headers; ///< "Name: value".
};

namespace detail {

class c_seed_options {
 public:
  c_seed_options(const seed_options &options, call &call) : raw(initialised<remora_seed_options>()) {
    if (auto collection = std::get_if<collection_options>(&options.source))
      raw.collection = &collection_.emplace(*collection, call).raw;
    if (auto bundle = std::get_if<bundle_options>(&options.source)) raw.bundle = &bundle_.emplace(*bundle, call).raw;
    if (auto settings = std::get_if<settings_options>(&options.source))
      raw.settings = &settings_.emplace(*settings, call).raw;
    raw.identifier = option(options.identifier, "identifier", call);
    if (options.fetched_at) raw.fetched_at_ms = options.fetched_at->time_since_epoch().count();
  }
  remora_seed_options raw;

 private:
  std::optional<c_collection_options> collection_;
  std::optional<c_bundle_options> bundle_;
  std::optional<c_settings_options> settings_;
};

/// Copies the request of a seed inside the callback of the C API. No exception leaves the callback.
class kept_request {
 public:
  static void keep(const remora_http_request *raw, void *user_data) noexcept {
    auto &self = *static_cast<kept_request *>(user_data);
    try {
      self.request_.url = raw->url;
      self.request_.method = raw->method;
      for (const char *const *header = raw->headers; *header != nullptr; ++header)
        self.request_.headers.emplace_back(*header);
    } catch (...) {
      self.thrown_ = std::current_exception();
    }
  }
  seed_request take() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(request_);
  }

 private:
  seed_request request_;
  std::exception_ptr thrown_;
};

} // namespace detail

/// Returns the request with which an installer downloads a seed. The function sends nothing. If the function fails and
/// does not throw, the returned request is empty.
inline seed_request make_seed_request(const config &config, const seed_options &options, error_target errors = throws) {
  detail::call call(errors);
  const detail::c_config host(config, call);
  const detail::c_seed_options seed(options, call);
  detail::kept_request kept;
  call([&](auto error) { return remora_seed_request(&host.raw, &seed.raw, detail::kept_request::keep, &kept, error); });
  return kept.take();
}

/// Checks the file that an installer has downloaded, and saves it as the seed of a source. config.on_log is called on
/// the calling thread. Blocking: waits for file system calls; see remora_seed_save.
inline void save_seed(const config &config, const seed_options &options, std::string_view file,
                      error_target errors = throws) {
  detail::call call(errors);
  detail::c_config host(config, call);
  const detail::c_seed_options seed(options, call);
  const detail::c_string path(file, "file", call);
  call([&](auto error) { return remora_seed_save(host.lend(), &seed.raw, path, error); });
}

} // namespace remora

#endif // REMORA_SEED_HPP
