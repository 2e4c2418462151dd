// SPDX-License-Identifier: Apache-2.0

//! Waiting for a fresh snapshot.

use std::time::Duration;

use remora::{ErrorKind, Outcome, RefreshOptions};

use crate::support::server::Server;
use crate::support::{client_of, collection, packaged, records_json, source_of};

#[test]
fn wait_returns_the_snapshot_that_its_refresh_fetched() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let snapshot = source_of(&server).wait(Duration::from_secs(30)).unwrap();
    assert_eq!(snapshot.get_int("a", "/n").unwrap(), 1);
}

#[test]
fn a_failed_wait_returns_the_error_of_its_refresh_and_keeps_the_data() {
    let server = Server::start();
    server.fail(500, "");
    let client = client_of(&server);
    let data = packaged(1, &["\"n\": 7"]);
    let source = collection(&client).packaged_data(data).open().unwrap();
    assert_eq!(source.wait(None).unwrap_err().http_status(), Some(500));
    assert_eq!(source.get_int("a", "/n"), Some(7));
}

#[test]
fn wait_for_any_data_sends_no_request_if_the_source_has_data() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let client = client_of(&server);
    let data = packaged(1, &["\"n\": 7"]);
    let source = collection(&client).packaged_data(data).open().unwrap();
    let any = RefreshOptions::default().only_if_empty(true);
    let snapshot = source.wait_with(&any).unwrap();
    assert_eq!(snapshot.get_int("a", "/n").unwrap(), 7);
    assert_eq!(source.refresh_with(&any), Ok(Outcome::Nothing));
    let error = source.wait_with(&any.clone().force(true)).unwrap_err();
    assert_eq!(error.parameter(), Some("only_if_empty"));
    assert_eq!(server.requests(), 0);
    let builder = client.collection("others").trust(remora::Trust::Off);
    let empty = builder.open().unwrap();
    assert_eq!(empty.wait_with(&any).unwrap().len(), 1);
    assert_eq!(server.requests(), 1);
}

#[test]
fn wait_on_a_source_of_a_closed_client_returns_closed() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    client.close();
    assert_eq!(source.wait(None).unwrap_err().kind(), ErrorKind::Closed);
}
