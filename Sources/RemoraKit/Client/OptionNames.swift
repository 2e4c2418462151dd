// SPDX-License-Identifier: Apache-2.0
//
// The names of options in errors: converts the names of the C header, which the core uses, to those in Swift.

/// The Swift names of parameters and options that have another name in the C header.
private let swiftNames = [
  "accepted_schema": "acceptedSchema", "application_build": "applicationBuild", "application_name": "applicationName",
  "application_version": "applicationVersion", "by_location": "byLocation", "ca_file": "caFile",
  "client_certificate_file": "clientCertificateFile", "client_key_file": "clientKeyFile",
  "connect_timeout_ms": "connectTimeout", "context_json": "context", "default_bundle": "defaultBundle",
  "default_version": "defaultVersion", "expected_version": "expectedVersion", "fetched_at_ms": "fetchedAtMs",
  "first_fetch": "fetchAtOpen", "http_status": "status", "local_only": "localOnly",
  "max_body_bytes": "maximumBodyBytes", "max_bytes": "maximumBytes", "max_future_ms": "maximumFuture",
  "max_stale_ms": "maximumStale", "memory_only": "memoryOnly", "only_if_empty": "onlyIfEmpty",
  "packaged_attachments": "packagedAttachments",
  "packaged_data": "packaged", "packaged_file": "packaged", "packaged_size": "packaged",
  "min_keys": "minKeys", "min_keys_percent": "minKeysPercent",
  "persist_overrides": "persistOverrides", "previous_roots": "previousRoots", "refresh_interval_ms": "refreshInterval",
  "request_params": "params", "root_key": "rootKey", "root_sha256": "rootSHA256", "stall_timeout_ms": "stallTimeout",
  "storage_dir": "storageDirectory", "tag_item": "tagItem", "timeout_ms": "timeout", "total_timeout_ms": "totalTimeout",
  "trusted_hosts": "trustedHosts", "ttl_ms": "ttl", "user_agent": "userAgent",
]

/// Returns the Swift name of a parameter or option of the C header.
func swiftName(of parameter: Substring) -> String { swiftNames[String(parameter)] ?? String(parameter) }
