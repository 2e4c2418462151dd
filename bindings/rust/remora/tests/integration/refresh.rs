// SPDX-License-Identifier: Apache-2.0

//! Refreshing, with and without waiting, and how it fails.

use std::time::Duration;

use remora::{ErrorKind, Family, Outcome, RefreshOptions};

use crate::support::server::Server;
use crate::support::{client_of, collection, records_json, reports, source_of, tracked};

#[test]
fn a_refresh_returns_updated_if_newer_records_were_fetched_and_otherwise_unchanged() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    assert_eq!(
        source.refresh(Duration::from_secs(30)).unwrap(),
        Outcome::Updated
    );
    assert_eq!(source.get_int("a", "/n"), Some(1));
    assert_eq!(source.refresh(None).unwrap(), Outcome::Unchanged);
    assert_eq!(server.requests(), 2);
}

#[test]
fn an_error_of_a_refresh_has_a_kind_a_name_an_http_status_and_a_message() {
    let server = Server::start();
    server.fail(500, "");
    let error = source_of(&server).refresh(None).unwrap_err();
    assert_eq!(
        (error.kind(), error.kind().family()),
        (ErrorKind::Http, Family::Network)
    );
    assert_eq!(
        (error.status_name(), error.http_status()),
        ("REMORA_ERR_HTTP", Some(500))
    );
    assert!(error.status() < 0);
    assert!(error.message().contains("500"), "{error}");
    let name = error.source_name().unwrap();
    assert_eq!(error.to_string(), format!("{name}: {}", error.message()));
}

#[test]
fn only_a_forced_refresh_sends_a_request_while_the_server_requests_a_backoff() {
    let server = Server::start();
    server.fail(429, "Retry-After: 3600");
    let source = source_of(&server);
    let error = source.refresh(None).unwrap_err();
    assert_eq!(error.http_status(), Some(429));
    let error = source.refresh(None).unwrap_err();
    assert_eq!(
        (error.kind(), error.kind().family()),
        (ErrorKind::Backoff, Family::Network)
    );
    let backoff = error.retry_after().unwrap();
    assert!(backoff > Duration::from_secs(1800), "{backoff:?}");
    assert!(source.info().unwrap().retry_after.unwrap() > Duration::from_secs(1800));
    assert_eq!(server.requests(), 1);

    server.publish(5, records_json(&["\"n\": 1"]));
    let (sender, result) = reports();
    let options = RefreshOptions::default().force(true);
    let request = source.refresh_async_with(&options, move |result| sender.send(result).unwrap());
    assert_eq!(result().unwrap(), Outcome::Updated);
    drop(request);
}

#[test]
fn an_invalid_json_body_and_a_body_of_the_wrong_form_are_different_errors() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    source.refresh(None).unwrap();
    for (body, kind) in [("{", ErrorKind::Parse), ("[]", ErrorKind::Format)] {
        server.answer_with(body);
        let error = source.refresh(None).unwrap_err();
        assert_eq!(
            (error.kind(), error.kind().family()),
            (kind, Family::Document)
        );
    }
    assert_eq!(source.get_int("a", "/n"), Some(1));
}

#[test]
fn a_server_that_cannot_be_reached_is_a_network_error() {
    let server = Server::start();
    let source = source_of(&server);
    drop(server);
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Network);
}

#[test]
fn a_refresh_fails_at_its_timeout_and_with_timeout_zero_sends_no_request() {
    let server = Server::start();
    server.stall(true);
    let source = source_of(&server);
    assert_eq!(
        source.refresh(Duration::ZERO).unwrap_err().kind(),
        ErrorKind::Timeout
    );
    assert_eq!(server.requests(), 0);
    let error = source.refresh(Duration::from_millis(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[test]
fn an_asynchronous_refresh_reports_its_completion_once_and_drops_its_closure() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    for fails in [false, true] {
        let (guard, drops) = tracked();
        let (sender, result) = reports();
        if fails {
            server.fail(503, "");
        }
        let request = source.refresh_async(move |result| {
            guard.hold();
            sender.send(result).unwrap();
        });
        let result = result();
        assert_eq!(result.map_err(|error| error.http_status()).is_err(), fails);
        drops.wait();
        assert!(drops.are_none());
        drop(request.unwrap());
    }
    assert_eq!(source.get_int("a", "/n"), Some(1));
}

#[test]
fn a_cancelled_refresh_returns_cancelled_and_a_late_response_changes_nothing() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    server.stall(true);
    let source = source_of(&server);
    let (sender, result) = reports();
    let request = source
        .refresh_async(move |result| sender.send(result).unwrap())
        .unwrap();
    server.wait_for_requests(1);
    request.cancel();
    assert_eq!(result().unwrap_err().kind(), ErrorKind::Cancelled);
    request.cancel();
    assert_eq!(source.get_int("a", "/n"), None);
}

#[test]
fn dropping_a_request_does_not_cancel_its_refresh_while_the_source_is_referenced() {
    let server = Server::start();
    server.stall(true);
    let source = source_of(&server);
    let (sender, result) = reports();
    drop(
        source
            .refresh_async(move |result| sender.send(result).unwrap())
            .unwrap(),
    );
    server.wait_for_requests(1);
    server.stall(false);
    result().unwrap();
}

#[test]
fn a_request_of_a_refresh_keeps_its_source_and_client_alive() {
    let server = Server::start();
    server.stall(true);
    let (sender, result) = reports();
    let request = source_of(&server).refresh_async(move |result| sender.send(result).unwrap());
    server.wait_for_requests(1);
    server.stall(false);
    result().unwrap();
    drop(request);
}

#[test]
fn the_completion_closure_of_a_refresh_is_dropped_and_not_called_if_the_source_is_dropped() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let (guard, drops) = tracked();
    let request = source.refresh_async(move |_| {
        guard.hold();
        unreachable!("the request was cancelled");
    });
    server.wait_for_requests(1);
    assert!(drops.are_none());
    drop((request, source));
    drops.wait();
    assert!(drops.are_none());
}
