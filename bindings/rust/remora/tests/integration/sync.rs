// SPDX-License-Identifier: Apache-2.0

//! Syncs that block, and intervals.

use std::thread;
use std::time::Duration;

use remora::{Client, ErrorKind, Outcome, RefreshOptions, Source, Trust};

use crate::support::server::Server;
use crate::support::{client_of, collection, memory_client, records_json, reports};

/// Opens a collection that the monitor does not list.
fn open_other(client: &Client) -> Source {
    let other = client.collection("other").trust(Trust::Off);
    other.open().unwrap()
}

#[test]
fn a_sync_requests_changed_sources_and_reports_the_outcome_of_each() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let _other = open_other(&client);

    let report = client.sync(Duration::from_secs(30)).unwrap();
    assert_eq!((report.total, report.updated), (2, 2));
    assert_eq!((report.unchanged, report.failed), (0, 0));
    assert_eq!(report.error(), None);
    let items = report.items.iter();
    let names: Vec<_> = items.map(|item| &*item.source_name).collect();
    assert_eq!(names, ["main/things", "main/other"]);
    for item in &report.items {
        assert_eq!(item.server, server.url() + "/v2");
        assert_eq!(item.result, Ok(Outcome::Updated));
    }
    assert_eq!(source.get_int("a", "/n"), Some(1));
    assert_eq!(server.requests(), 3);

    let report = client.sync(None).unwrap();
    assert_eq!((report.total, report.unchanged), (2, 2));
    assert_eq!(report.items[0].result, Ok(Outcome::Unchanged));
    assert_eq!(server.requests(), 5);
}

#[test]
fn a_sync_sends_the_option_expected_version_with_its_request_for_the_list_of_changes() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let client = client_of(&server);
    let _source = collection(&client).open().unwrap();
    let report = client.sync(Duration::from_secs(30)).unwrap();
    assert_eq!(report.error(), None);
    let pushed = RefreshOptions::default().expected_version(4321);
    let report = client.sync_with(&pushed.timeout(Duration::from_secs(30)));
    assert_eq!(report.unwrap().error(), None);
    let head = server.last_head();
    assert!(head.contains("_expected=4321"), "{head}");
    let negative = RefreshOptions::default().expected_version(-1);
    let error = client.sync_with(&negative).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_sync_reports_the_error_of_a_source_that_fails_and_fetches_all_other_sources() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    server.break_collection("other");
    let client = client_of(&server);
    let _other = open_other(&client);
    let source = collection(&client).open().unwrap();
    let report = client.sync(None).unwrap();
    assert_eq!((report.total, report.updated, report.failed), (2, 1, 1));
    let failure = report.items[0].result.as_ref().unwrap_err();
    assert_eq!(failure.http_status(), Some(500));
    assert_eq!(report.items[1].result, Ok(Outcome::Updated));
    let error = report.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::Http);
    assert!(error.message().starts_with("1 of 2 sources"), "{error}");
    assert_eq!(source.get_int("a", "/n"), Some(1));
}

#[test]
fn a_sync_fails_for_all_sources_if_the_servers_list_of_collections_cannot_be_fetched() {
    let server = Server::start();
    server.break_collection("changes");
    let client = client_of(&server);
    let _sources = (collection(&client).open().unwrap(), open_other(&client));
    let report = client.sync(None).unwrap();
    assert_eq!((report.total, report.failed), (2, 2));
    assert_eq!(report.error().unwrap().http_status(), Some(500));
    assert_eq!(server.requests(), 1);
}

#[test]
fn a_sync_reports_a_timeout_for_each_source_that_was_not_fetched_in_time() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let _source = collection(&client).open().unwrap();
    for limit in [Duration::ZERO, Duration::from_millis(1)] {
        let report = client.sync(limit).unwrap();
        assert_eq!((report.total, report.failed), (1, 1));
        assert_eq!(report.error().unwrap().kind(), ErrorKind::Timeout);
        let failure = report.items[0].result.as_ref().unwrap_err();
        assert_eq!(failure.kind(), ErrorKind::Timeout);
        if limit.is_zero() {
            assert_eq!(server.requests(), 0);
        }
    }
}

#[test]
fn a_closed_client_cannot_sync() {
    let client = memory_client();
    client.clone().close();
    assert_eq!(client.sync(None).unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn closing_the_client_takes_effect_when_a_sync_on_another_thread_returns() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let syncing = client.clone();
    let sync = thread::spawn(move || syncing.sync(None));
    server.wait_for_requests(1);
    client.close();
    assert!(source.snapshot().is_ok());
    server.stall(false);
    assert_eq!(sync.join().unwrap().unwrap().updated, 1);
    assert_eq!(source.snapshot().unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn a_source_with_a_refresh_interval_is_refreshed_automatically() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let (sender, received) = reports();
    let source = collection(&client_of(&server))
        .refresh_interval(Duration::from_secs(1))
        .on_event(move |event| {
            if event.outcome() == Some(Outcome::Updated) {
                // The test may be over.
                let _ = sender.send(event.version());
            }
        })
        .open()
        .unwrap();
    assert_eq!(received(), 5);
    server.publish(6, records_json(&["\"n\": 2"]));
    assert_eq!(received(), 6);
    assert_eq!(source.get_int("a", "/n"), Some(2));
}

#[test]
fn a_refresh_interval_below_one_second_is_refused_and_the_value_none_is_accepted() {
    let client = memory_client();
    let interval = Duration::from_millis(999);
    let error = collection(&client).refresh_interval(interval).open();
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let message = "refresh_interval is 999 ms, but must be at least 1000 ms";
    assert_eq!(error.message(), message);
    assert_eq!(error.parameter(), Some("refresh_interval"));
    assert!(collection(&client).refresh_interval(None).open().is_ok());
}
