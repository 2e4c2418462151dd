// SPDX-License-Identifier: Apache-2.0

//! Refreshing, with and without waiting, and how it fails.

use std::time::Duration;

use remora::{ErrorKind, Family, Outcome, RefreshOptions};

use crate::support::server::Server;
use crate::support::{client_of, collection, records_json, source_of, told, tracked};

#[test]
fn a_refresh_makes_newer_settings_live_and_tells_when_there_are_none() {
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
fn an_error_tells_kind_name_http_status_and_sentence() {
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
    assert!(error.to_string().contains("500"), "{error}");
}

#[test]
fn a_server_that_asks_for_patience_gets_it_unless_forced() {
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
    let patience = error.retry_after().unwrap();
    assert!(patience > Duration::from_secs(1800), "{patience:?}");
    assert!(source.info().unwrap().retry_after.unwrap() > Duration::from_secs(1800));
    assert_eq!(server.requests(), 1);

    server.publish(5, records_json(&["\"n\": 1"]));
    let (tell, result) = told();
    let options = RefreshOptions::default().force(true);
    let request = source.refresh_async_with(&options, move |result| tell.send(result).unwrap());
    assert_eq!(result().unwrap(), Outcome::Updated);
    drop(request);
}

#[test]
fn documents_that_cannot_be_used_are_told_apart() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    source.refresh(None).unwrap();
    for (body, kind) in [("{", ErrorKind::Parse), ("[]", ErrorKind::Format)] {
        server.say(body);
        let error = source.refresh(None).unwrap_err();
        assert_eq!(
            (error.kind(), error.kind().family()),
            (kind, Family::Document)
        );
    }
    assert_eq!(source.get_int("a", "/n"), Some(1));
}

#[test]
fn no_server_is_an_error_of_the_network() {
    let server = Server::start();
    let source = source_of(&server);
    drop(server);
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Network);
}

#[test]
fn a_time_limit_of_zero_starts_nothing_and_another_ends_the_wait() {
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
fn an_asynchronous_refresh_tells_its_end_once_and_drops_its_closure() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    for fails in [false, true] {
        let (guard, drops) = tracked();
        let (tell, result) = told();
        if fails {
            server.fail(503, "");
        }
        let request = source.refresh_async(move |result| {
            guard.hold();
            tell.send(result).unwrap();
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
fn a_cancelled_refresh_says_so_and_a_late_answer_changes_nothing() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    server.stall(true);
    let source = source_of(&server);
    let (tell, result) = told();
    let request = source
        .refresh_async(move |result| tell.send(result).unwrap())
        .unwrap();
    server.wait_for_requests(1);
    request.cancel();
    assert_eq!(result().unwrap_err().kind(), ErrorKind::Cancelled);
    request.cancel();
    assert_eq!(source.get_int("a", "/n"), None);
}

#[test]
fn dropping_a_request_cancels_nothing_while_somebody_has_the_source() {
    let server = Server::start();
    server.stall(true);
    let source = source_of(&server);
    let (tell, result) = told();
    drop(
        source
            .refresh_async(move |result| tell.send(result).unwrap())
            .unwrap(),
    );
    server.wait_for_requests(1);
    server.stall(false);
    result().unwrap();
}

#[test]
fn a_request_keeps_its_source_and_client_alive() {
    let server = Server::start();
    server.stall(true);
    let (tell, result) = told();
    let request = source_of(&server).refresh_async(move |result| tell.send(result).unwrap());
    server.wait_for_requests(1);
    server.stall(false);
    result().unwrap();
    drop(request);
}

#[test]
fn a_completion_of_a_source_that_is_given_up_is_dropped_without_a_call() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let (guard, drops) = tracked();
    let request = source.refresh_async(move |_| {
        guard.hold();
        unreachable!("nobody is interested");
    });
    server.wait_for_requests(1);
    assert!(drops.are_none());
    drop((request, source));
    drops.wait();
    assert!(drops.are_none());
}
