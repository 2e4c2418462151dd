// SPDX-License-Identifier: Apache-2.0

//! Waiting for a fresh snapshot.

use std::time::Duration;

use remora::{Awaited, ErrorKind, Wait};

use crate::support::server::Server;
use crate::support::{client_of, collection, packaged, records_json, source_of};

#[test]
fn wait_returns_the_snapshot_that_its_refresh_fetched() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let awaited = source_of(&server).wait(Wait::Refreshed, Duration::from_secs(30));
    assert!(awaited.error().is_none());
    assert_eq!(awaited.ready().unwrap().get_int("a", "/n").unwrap(), 1);
}

#[test]
fn wait_returns_the_previous_snapshot_and_the_error_if_its_refresh_fails() {
    let server = Server::start();
    server.fail(500, "");
    let client = client_of(&server);
    let source = collection(&client)
        .packaged_data(packaged(1, &["\"n\": 7"]))
        .open()
        .unwrap();
    let awaited = source.wait(Wait::Refreshed, None);
    assert!(matches!(&awaited, Awaited::Fallback(_, error) if error.http_status() == Some(500)));
    assert_eq!(awaited.clone().ready().unwrap_err().kind(), ErrorKind::Http);
    assert_eq!(awaited.snapshot().unwrap().get_int("a", "/n").unwrap(), 7);
}

#[test]
fn wait_for_any_data_sends_no_request_if_the_source_has_data() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let client = client_of(&server);
    let source = collection(&client)
        .packaged_data(packaged(1, &["\"n\": 7"]))
        .open()
        .unwrap();
    let awaited = source.wait(Wait::AnyData, None);
    assert_eq!(awaited.ready().unwrap().get_int("a", "/n").unwrap(), 7);
    assert_eq!(server.requests(), 0);
    let empty = client
        .collection("others")
        .trust(remora::Trust::Off)
        .open()
        .unwrap();
    assert_eq!(empty.wait(Wait::AnyData, None).ready().unwrap().len(), 1);
    assert_eq!(server.requests(), 1);
}

#[test]
fn wait_with_timeout_zero_returns_the_current_snapshot_without_a_request() {
    let server = Server::start();
    let source = source_of(&server);
    assert!(source
        .wait(Wait::Refreshed, Duration::ZERO)
        .ready()
        .unwrap()
        .is_empty());
    assert_eq!(server.requests(), 0);
}

#[test]
fn values_can_be_read_directly_from_the_result_of_a_wait() {
    let server = Server::start();
    server.publish(
        5,
        records_json(&[r#""n": 1, "d": 0.5, "b": true, "s": "x", "u": "http://h/""#]),
    );
    let source = source_of(&server);
    let fresh = source.wait(Wait::Refreshed, None);
    assert_eq!(fresh.get_int("a", "/n"), Some(1));
    assert_eq!(fresh.get_double("a", "/d"), Some(0.5));
    assert_eq!(fresh.get_bool("a", "/b"), Some(true));
    assert_eq!(fresh.get_str("a", "/s"), Some("x"));
    assert_eq!(fresh.get_url("a", "/u"), Some("http://h/"));
    server.fail(500, "");
    let before = source.wait(Wait::Refreshed, None);
    assert!(before.error().is_some());
    assert_eq!(before.get_int("a", "/n"), Some(1));
    assert_eq!(before.get_int("a", "/s"), None, "of another type");
    assert_eq!(before.get_url("a", "/s"), None);
    assert_eq!(before.get_int("absent", None), None);
}

#[test]
fn wait_on_a_source_of_a_closed_client_returns_closed() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    client.close();
    let awaited = source.wait(Wait::Refreshed, None);
    assert_eq!(awaited.error().unwrap().kind(), ErrorKind::Closed);
    assert_eq!(awaited.get_int("a", "/n"), None);
    assert_eq!(awaited.ready().unwrap_err().kind(), ErrorKind::Closed);
}
