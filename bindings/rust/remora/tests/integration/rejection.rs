// SPDX-License-Identifier: Apache-2.0

//! Versions that a program rejects, and options that refuse versions without enough content.

use std::time::Duration;

use remora::{
    Activation, Cause, Client, CollectionBuilder, Error, ErrorKind, Family, Outcome,
    RefreshOptions, Source, Trust,
};

use crate::settings::settings_of;
use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{
    client_of, collection, memory_client, packaged_source, records_json, reports, DEADLINE,
};

/// A client with storage. Its collection has a good version 2 and after it a bad version 3, which
/// is live.
fn opened(server: &Server, directory: &Directory) -> Source {
    let client = Client::builder(directory).server(server.url());
    let source = collection(&client.build().unwrap()).open().unwrap();
    for version in [2, 3] {
        publish(server, version);
        source.refresh(DEADLINE).unwrap();
    }
    source
}

fn publish(server: &Server, version: i64) {
    server.publish(version, records_json(&[&format!("\"n\": {version}")]));
}

fn refused(source: &Source) -> Error {
    source.refresh(DEADLINE).unwrap_err()
}

fn forced(source: &Source) -> remora::Result<Outcome> {
    source.refresh_with(&RefreshOptions::default().force(true))
}

#[test]
fn reject_replaces_the_live_version_by_the_one_before_it_and_reports_an_event() {
    let (server, directory) = (Server::start(), Directory::new());
    let source = opened(&server, &directory);
    let (sender, next) = reports();
    let subscription = source.subscribe(None, move |event| {
        let changes = event.changes().len();
        sender
            .send((event.cause(), event.outcome(), changes))
            .unwrap();
    });
    assert_eq!(source.info().unwrap().rejected_version, None);
    source
        .reject(&source.snapshot().unwrap(), "it does not work")
        .unwrap();
    assert_eq!(next(), (Cause::Rejected, None, 1));
    assert_eq!(source.get_int("a", "/n"), Some(2));
    let info = source.info().unwrap();
    assert_eq!((info.version, info.rejected_version), (2, Some(3)));
    drop(subscription);
}

#[test]
fn after_reject_a_refresh_fails_until_the_server_has_another_version() {
    let (server, directory) = (Server::start(), Directory::new());
    let source = opened(&server, &directory);
    source.reject(&source.snapshot().unwrap(), None).unwrap();
    for error in [refused(&source), forced(&source).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Rejected);
        assert_eq!(error.kind().family(), Family::Document);
        assert!(
            error.message().contains("version 3 was rejected"),
            "{error}"
        );
    }
    assert_eq!(source.get_int("a", "/n"), Some(2));
    publish(&server, 4);
    assert_eq!(source.refresh(DEADLINE), Ok(Outcome::Updated));
    assert_eq!(source.get_int("a", "/n"), Some(4));
}

#[test]
fn a_rejection_is_remembered_by_a_later_client_until_a_reset() {
    let (server, directory) = (Server::start(), Directory::new());
    let source = opened(&server, &directory);
    let reason = Some("it does not work");
    source.reject(&source.snapshot().unwrap(), reason).unwrap();
    drop(source);
    let client = Client::builder(&directory).server(server.url()).build();
    let source = collection(&client.unwrap()).open().unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(2));
    assert_eq!(source.info().unwrap().rejected_version, Some(3));
    assert_eq!(refused(&source).kind(), ErrorKind::Rejected);
    source.reset().unwrap();
    assert_eq!(source.info().unwrap().rejected_version, None);
    assert_eq!(source.refresh(DEADLINE), Ok(Outcome::Updated));
}

#[test]
fn reject_returns_not_found_for_a_snapshot_that_was_replaced_or_was_not_fetched() {
    let (server, directory) = (Server::start(), Directory::new());
    let source = opened(&server, &directory);
    let old = source.snapshot().unwrap();
    publish(&server, 4);
    source.refresh(DEADLINE).unwrap();
    let kind = |rejected: remora::Result<()>| rejected.unwrap_err().kind();
    assert_eq!(kind(source.reject(&old, None)), ErrorKind::NotFound);
    assert_eq!(source.get_int("a", "/n"), Some(4));
    let other = packaged_source(&["\"n\": 1"]);
    let packaged = other.snapshot().unwrap();
    assert_eq!(kind(other.reject(&packaged, None)), ErrorKind::NotFound);
    let error = source.reject(&packaged, None).unwrap_err();
    assert_eq!(error.parameter(), Some("snapshot"));
    let live = source.snapshot().unwrap();
    let error = source.reject(&live, "a\0b").unwrap_err();
    assert_eq!(error.message(), "reason contains a NUL");
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    source.refresh(DEADLINE).unwrap();
    let live = source.snapshot().unwrap();
    client.close();
    assert_eq!(kind(source.reject(&live, None)), ErrorKind::Closed);
}

#[test]
fn reject_removes_a_staged_version_that_the_program_has_checked() {
    let server = Server::start();
    publish(&server, 2);
    let (sender, staged) = reports();
    let source = collection(&client_of(&server))
        .activation(Activation::Manual)
        .on_event(move |event| {
            if let Some(snapshot) = event.staged_snapshot() {
                sender.send(snapshot).unwrap();
            }
        })
        .open()
        .unwrap();
    assert_eq!(source.refresh(DEADLINE), Ok(Outcome::Staged));
    source.reject(&staged(), None).unwrap();
    assert!(!source.info().unwrap().has_staged);
    assert_eq!(refused(&source).kind(), ErrorKind::Rejected);
}

#[test]
fn min_keys_and_min_keys_percent_refuse_a_version_with_fewer_keys_unless_the_refresh_is_forced() {
    let limits: [fn(CollectionBuilder) -> CollectionBuilder; 2] = [
        |builder| builder.min_keys(2),
        |builder| builder.min_keys_percent(60),
    ];
    for limit in limits {
        let server = Server::start();
        server.publish(2, records_json(&["\"n\": 2", "\"n\": 2"]));
        let builder = client_of(&server).collection("things").trust(Trust::Off);
        let source = limit(builder).open().unwrap();
        assert_eq!(source.refresh(DEADLINE), Ok(Outcome::Updated));
        publish(&server, 3);
        let error = refused(&source);
        assert_eq!(error.kind(), ErrorKind::Schema);
        assert!(error.message().contains("min_keys"), "{error}");
        assert_eq!(source.get_int("b", "/n"), Some(2));
        assert_eq!(forced(&source), Ok(Outcome::Updated));
        assert_eq!(source.get_int("b", "/n"), None);
    }
}

#[test]
fn required_keys_refuse_settings_without_one_of_them_unless_the_refresh_is_forced() {
    let server = Server::start();
    let settings = settings_of(&server, &memory_client()).activation(Activation::Immediate);
    let settings = settings.ttl(Duration::ZERO).required_key("a");
    let settings = settings.required_key("b").open().unwrap();
    server.answer_with(r#"{"a": 1, "b": 2}"#);
    assert_eq!(settings.refresh(DEADLINE), Ok(Outcome::Updated));
    server.answer_with(r#"{"a": 2}"#);
    let error = refused(&settings);
    assert_eq!(error.kind(), ErrorKind::Schema);
    assert!(error.message().contains("no key b"), "{error}");
    assert_eq!(settings.get_int("a", None), Some(1));
    assert_eq!(forced(&settings), Ok(Outcome::Updated));
    assert_eq!(settings.get_int("a", None), Some(2));
    let nul = memory_client().settings("127.0.0.1:9").required_key("\0");
    let error = nul.open().unwrap_err();
    assert_eq!(error.message(), "required_key contains a NUL");
}

#[test]
fn an_error_about_an_invalid_limit_of_the_content_names_the_option() {
    let client = client_of(&Server::start());
    let limits: [(&str, CollectionBuilder); 3] = [
        (
            "min_keys_percent",
            collection(&client).min_keys_percent(101),
        ),
        (
            "min_keys_percent",
            collection(&client).min_keys_percent(u32::MAX),
        ),
        ("schema", collection(&client).schema("\0")),
    ];
    for (name, builder) in limits {
        let error = builder.open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.parameter(), Some(name));
    }
}
