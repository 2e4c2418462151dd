// SPDX-License-Identifier: Apache-2.0

//! What filters know of the application, and what they hide.

use remora::{Cause, ChangeKind, Client, ErrorKind, Source, Trust};

use crate::support::server::Server;
use crate::support::{subscribed, DEADLINE};

const RECORDS: &str = r#"{"data": [
    {"id": "all", "last_modified": 3},
    {"id": "german", "last_modified": 2, "filter_expression": "env.locale == 'de'"},
    {"id": "broken", "last_modified": 1, "filter_expression": "env.locale =="}
], "timestamp": 3}"#;

fn open() -> (Client, Source) {
    let client = Client::in_memory().build().unwrap();
    let source = client
        .collection("filtered")
        .trust(Trust::Off)
        .packaged_data(RECORDS)
        .open()
        .unwrap();
    (client, source)
}

fn keys(source: &Source) -> Vec<String> {
    let snapshot = source.snapshot().unwrap();
    snapshot.iter().map(|(key, _)| key.to_string()).collect()
}

#[test]
fn a_record_is_visible_only_in_a_context_that_its_filter_matches() {
    let (client, source) = open();
    assert_eq!(keys(&source), ["all"]);
    client.set_context(r#"{"locale": "de"}"#).unwrap();
    assert_eq!(keys(&source), ["all", "german"]);
    client.set_context(None).unwrap();
    assert_eq!(keys(&source), ["all"]);
}

#[test]
fn an_unfiltered_snapshot_contains_hidden_records_and_filters_that_fail_are_counted() {
    let (_client, source) = open();
    assert_eq!(source.unfiltered_snapshot().unwrap().len(), 3);
    assert_eq!(source.info().unwrap().filter_failures, 1);
}

#[test]
fn subscribers_are_notified_of_keys_that_a_new_context_shows() {
    let (client, source) = open();
    let (_subscription, received) = subscribed(&source);
    client.set_context(r#"{"locale": "de"}"#).unwrap();
    let (cause, kinds) = received.recv_timeout(DEADLINE).unwrap();
    assert_eq!(cause, Cause::Context);
    assert_eq!(kinds, [(ChangeKind::Created, "german".to_string())]);
}

#[test]
fn an_invalid_context_is_refused_and_changes_nothing() {
    let (client, source) = open();
    client.set_context(r#"{"locale": "de"}"#).unwrap();
    for wrong in ["", "[]", "{", r#"{"locale": 5}"#, "{}\0"] {
        let error = client.set_context(wrong).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{wrong}");
    }
    assert_eq!(keys(&source), ["all", "german"]);
}

#[test]
fn an_expression_is_evaluated_in_a_context_of_its_own() {
    let matches = |context: Option<&str>| remora::filter_matches("env.plan == 'pro'", context);
    assert!(matches(Some(r#"{"plan": "pro"}"#)).unwrap());
    assert!(!matches(Some("{}")).unwrap());
    assert!(!matches(None).unwrap());
    let error = remora::filter_matches("plan", None).unwrap_err();
    assert_eq!(
        error.message(),
        "expression cannot be evaluated: plan is not defined"
    );
    for (expression, context) in [("true", "[]"), ("true\0", "{}"), ("true", "{}\0")] {
        let error = remora::filter_matches(expression, context).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{expression}");
    }
}

#[test]
fn requests_that_start_later_have_the_replaced_headers() {
    let server = Server::start();
    server.publish(1000, "[]");
    let client = Client::in_memory().server(server.url()).header("A", "1");
    let client = client.build().unwrap();
    let source = client.collection("c").trust(Trust::Off).open().unwrap();
    source.refresh(DEADLINE).unwrap();
    assert!(server.last_head().contains("A: 1\r\n"));
    client.set_headers(&[("A", "2"), ("B", "3")]).unwrap();
    source.refresh(DEADLINE).unwrap();
    let head = server.last_head();
    assert!(head.contains("A: 2\r\n") && head.contains("B: 3\r\n"));
    let error = client.set_headers(&[("Range", "bytes=0-")]).unwrap_err();
    assert_eq!(
        (error.kind(), error.parameter()),
        (ErrorKind::InvalidArgument, Some("header"))
    );
    client.set_headers(&[]).unwrap();
    source.refresh(DEADLINE).unwrap();
    assert!(!server.last_head().contains("\nA:"));
}

#[test]
fn a_client_certificate_that_cannot_be_read_is_refused() {
    let error = Client::in_memory()
        .client_certificate("/missing.pem", "/missing.key")
        .build()
        .unwrap_err();
    assert_eq!(error.parameter(), Some("client_certificate_file"));
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}
