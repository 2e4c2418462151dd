// SPDX-License-Identifier: Apache-2.0

//! Documents of bundles, and sources that have them.

use remora::{Origin, Source};

use super::memory_client;
use super::server::Server;

const SCHEMA: &str =
    "http://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-0";

/// Defaults of two namespaces.
pub const DEFAULT: &str = r#"[
    {"namespace": "app", "networkConfiguration": {"endpoint": "https://app.example"},
     "trackerConfiguration": {"appId": "default", "sessionContext": true}},
    {"namespace": "other", "networkConfiguration": {"endpoint": "https://other.example"}}]"#;

/// An element with a network configuration and further members.
pub fn element(namespace: &str, members: &str) -> String {
    format!(
        r#"{{"namespace": "{namespace}", "networkConfiguration": {{"endpoint": "https://e.example"}}{members}}}"#
    )
}

/// A document of these elements.
pub fn bundle_of(schema: &str, version: i64, elements: &[String]) -> String {
    let elements = elements.join(",");
    format!(
        r#"{{"$schema": "{schema}", "configurationVersion": {version}, "configurationBundle": [{elements}]}}"#
    )
}

/// From now on the server answers with a document of the schema that is accepted by default.
pub fn publish(server: &Server, version: i64, elements: &[String]) {
    server.answer_with(&bundle_of(SCHEMA, version, elements));
}

/// The bundle of the server in memory, with defaults of version 3; nothing is fetched at open.
pub fn source_of(server: &Server) -> Source {
    let builder = memory_client()
        .bundle(server.url().as_str())
        .default_bundle(DEFAULT);
    builder
        .default_version(3)
        .fetch_at_open(false)
        .open()
        .unwrap()
}

/// Name, whether it is of the bundle, whether it is the default, and origin of every namespace.
pub fn namespaces(source: &Source) -> Vec<(String, bool, bool, Origin)> {
    let namespaces = source.namespaces(None).unwrap().into_iter();
    namespaces
        .map(|one| (one.name, one.in_bundle, one.is_default, one.origin))
        .collect()
}
