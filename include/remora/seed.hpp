// SPDX-License-Identifier: Apache-2.0

/// @file seed.hpp Seeds: data that an installer downloads and saves before the host runs.
#ifndef REMORA_SEED_HPP
#define REMORA_SEED_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <remora/client.hpp>

namespace remora {

/// The source of a seed (data that an installer saves before the host runs). Pass the options with which the host opens
/// the source. The members that belong to source_options are not used. See remora_seed_options.
struct seed_options {
  seed_options(collection_options options) : source(std::move(options)) {}
  seed_options(bundle_options options) : source(std::move(options)) {}
  seed_options(settings_options options) : source(std::move(options)) {}

  std::variant<collection_options, bundle_options, settings_options> source;
  std::string identifier;               ///< Name of the installer, sent to the server; default "seed".
  std::optional<time_point> fetched_at; ///< Time of the download; default: modification time of the file.
};

/// The request with which an installer downloads a seed.
struct seed_request {
  std::string url;
  std::string method;               ///< "GET", or "POST" with an empty body.
  std::vector<std::string> headers; ///< "Name: value".
};

namespace detail {

/// Converts seed_options to the structure of the C API.
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

} // namespace detail

/// Returns the request with which an installer downloads a seed. The function sends nothing. If the function fails and
/// does not throw, the returned request is empty.
inline seed_request make_seed_request(const config &config, const seed_options &options, error_target errors = throws) {
  detail::call call(errors);
  const detail::c_config host(config, call);
  const detail::c_seed_options seed(options, call);
  const auto read = [&](remora_seed_part part) {
    return detail::read_text(call, [&](char *buffer, std::size_t size, std::size_t *length, remora_error *error) {
      return remora_seed_request(&host.raw, &seed.raw, part, buffer, size, length, error);
    });
  };
  seed_request request;
  std::optional<std::string> url = read(REMORA_SEED_URL);
  std::optional<std::string> method = url ? read(REMORA_SEED_METHOD) : std::nullopt;
  std::optional<std::string> headers = method ? read(REMORA_SEED_HEADERS) : std::nullopt;
  if (!headers) return request;
  request.url = *std::move(url);
  request.method = *std::move(method);
  for (std::size_t start = 0, end; (end = headers->find('\n', start)) != std::string::npos; start = end + 1)
    request.headers.push_back(headers->substr(start, end - start));
  return request;
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
