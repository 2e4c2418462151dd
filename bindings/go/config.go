// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "time"

// Config has the options of a client. An empty field has its default. Timeouts are rounded up to milliseconds.
type Config struct {
	StorageDir         string            // A directory on a local file system, or StorageMemory. Required.
	Server             string            // The server of collections: "prod" (the default), "stage", "dev" or a URL.
	Bucket             string            // The bucket of collections without a Bucket. Default "main".
	ApplicationName    string            // The User-Agent begins with the name and the version.
	ApplicationVersion string            // Default "0".
	ApplicationBuild   string            // Is added to the User-Agent.
	UserAgent          string            // Replaces the generated User-Agent.
	Headers            map[string]string // Sent with every request to the server of a source, but not to other hosts.
	Proxy              string            // A proxy, as for libcurl: [scheme://][user[:password]@]host[:port]. Default: none.
	CAFile             string            // A PEM file of root certificates, instead of those of libcurl.
	// ClientCertificateFile and ClientKeyFile are PEM files that identify the client to the server of a source. They are
	// read for each new connection, so that they can be replaced. Default: none; without ClientKeyFile, the key is in the
	// file of the certificate.
	ClientCertificateFile, ClientKeyFile string
	ConnectTimeout                       time.Duration // For connecting to a server. Default 10 s; negative turns a timeout off.
	StallTimeout                         time.Duration // Aborts transfers that are slower than 100 bytes/s for this time. Default 30 s.
	TotalTimeout                         time.Duration // For a whole request. Default 2 min. Downloads of attachments may take longer.
	MaxBodyBytes                         int64         // The largest decompressed response. Default 16 MiB, at most 256 MiB.
	MaxStale                             time.Duration // Data is stale if its last successful refresh is longer ago. Default: off.
	LogLevel                             LogLevel      // The least severe level that Log receives. Default LogWarning.
	// Log receives log lines, which begin with the name of the source. Set Log to see failures of background refreshes,
	// which Attempt and subscribers of the source also receive. Default: none.
	Log func(level LogLevel, line string)
	// Attempt is a handler that receives the outcome and cost of each refresh. Refreshes that a backoff (a requested
	// pause) prevents are reported too; cancelled refreshes, and those of other processes, are not. Default: none.
	Attempt func(Attempt)
}

// Preconnect opens a connection in the background before it is needed, so that the first request to the same host is
// faster. It sends one GET request to url, with the query items "app" and "platform"; an empty platform is "linux".
// Only ApplicationName (required), Proxy, CAFile, the client's certificate, UserAgent, ConnectTimeout and TotalTimeout
// are used. It needs no Client. Does not block.
func Preconnect(config Config, url, platform string) error {
	texts := texts{}
	defer texts.free()
	raw, address, name := config.raw(&texts), texts.copy("url", url), texts.add("platform", platform)
	if texts.err != nil {
		return texts.err
	}
	var details C.remora_error
	return check(C.remora_preconnect(&raw, address, name, &details), &details)
}

// raw returns the options for the library, without callbacks. They are valid until texts is freed.
func (c Config) raw(texts *texts) C.remora_config {
	var raw C.remora_config
	initialise(&raw)
	raw.callbacks = C.REMORA_CALLBACKS_ON_DISPATCH // No thread of the library may enter Go.
	raw.storage_dir = texts.add("StorageDir", c.StorageDir)
	raw.server = texts.add("Server", c.Server)
	raw.bucket = texts.add("Bucket", c.Bucket)
	raw.application_name = texts.add("ApplicationName", c.ApplicationName)
	raw.application_version = texts.add("ApplicationVersion", c.ApplicationVersion)
	raw.application_build = texts.add("ApplicationBuild", c.ApplicationBuild)
	raw.user_agent = texts.add("UserAgent", c.UserAgent)
	raw.headers = texts.list("Headers", headerLines(c.Headers))
	raw.proxy = texts.add("Proxy", c.Proxy)
	raw.ca_file = texts.add("CAFile", c.CAFile)
	raw.client_certificate_file = texts.add("ClientCertificateFile", c.ClientCertificateFile)
	raw.client_key_file = texts.add("ClientKeyFile", c.ClientKeyFile)
	raw.connect_timeout_ms = milliseconds(c.ConnectTimeout)
	raw.stall_timeout_ms = milliseconds(c.StallTimeout)
	raw.total_timeout_ms = milliseconds(c.TotalTimeout)
	raw.max_body_bytes = C.int64_t(c.MaxBodyBytes)
	raw.max_stale_ms = milliseconds(c.MaxStale)
	raw.log_level = C.remora_log_level(c.LogLevel)
	return raw
}

func headerLines(headers map[string]string) []string {
	lines := sortedNames(headers)
	for index, name := range lines {
		lines[index] = name + ": " + headers[name]
	}
	return lines
}

// SetHeaders replaces Config.Headers for the requests that start from now on, such as after a token was renewed. nil
// removes the headers. Running requests keep their headers. If a server has refused the earlier headers with HTTP
// status 401 or 403 and asked for a pause, the pause ends. If the error is ErrInvalidArgument or ErrClosed, the headers
// do not change. It does not block.
func (c *Client) SetHeaders(headers map[string]string) error {
	texts := texts{}
	defer texts.free()
	lines := texts.list("Headers", headerLines(headers))
	if texts.err != nil {
		return texts.err
	}
	return c.call(func(client *C.remora_client, details *C.remora_error) C.remora_status {
		return C.remora_set_headers(client, lines, details)
	})
}

type logger func(level LogLevel, line string)

func (l logger) forget() {}

func (l logger) write(entry *C.const_log_entry) {
	l(LogLevel(entry.level), C.GoString(entry.message))
}
