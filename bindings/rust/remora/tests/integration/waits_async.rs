// SPDX-License-Identifier: Apache-2.0

//! Waiting for a fresh snapshot without blocking a thread.

use std::time::Duration;

use remora::{ErrorKind, RefreshOptions, Request, Result, Snapshot, Source};

use crate::settings::settings_of;
use crate::support::server::Server;
use crate::support::{memory_client, records_json, reports, source_of, tracked, DEADLINE};

/// Starts a wait, and returns a function that returns its result.
fn waiting(source: &Source, options: &RefreshOptions) -> (Request, impl Fn() -> Result<Snapshot>) {
    let (sender, received) = reports();
    let request = source.wait_async(options, move |result| sender.send(result).unwrap());
    (request.unwrap(), received)
}

fn within(limit: impl Into<Option<Duration>>) -> RefreshOptions {
    RefreshOptions::default().timeout(limit)
}

/// A server that has answered with 1, and stalls now.
fn stalled() -> (Server, Source) {
    let server = Server::start();
    server.answer_with(r#"{"k": 1}"#);
    let builder = settings_of(&server, &memory_client()).tag("x");
    let settings = builder.ttl(Duration::ZERO).open().unwrap();
    settings.refresh(DEADLINE).unwrap();
    server.stall(true);
    (server, Source::clone(&settings))
}

#[test]
fn wait_async_passes_the_fetched_snapshot_to_its_closure_once() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    let (guard, drops) = tracked();
    let (sender, received) = reports();
    let request = source.wait_async(&within(None), move |result| {
        guard.hold();
        sender.send(result).unwrap();
    });
    assert_eq!(received().unwrap().get_int("a", "/n").unwrap(), 1);
    drops.wait();
    drop(request.unwrap());
}

#[test]
fn concurrent_asynchronous_waits_share_one_request_and_have_separate_timeouts() {
    let (server, source) = stalled();
    server.answer_with(r#"{"k": 2}"#);
    let (_one, first) = waiting(&source, &within(None));
    let (_two, second) = waiting(&source, &within(DEADLINE));
    let (_three, third) = waiting(&source, &within(Duration::from_millis(50)));
    assert_eq!(third().unwrap_err().kind(), ErrorKind::Timeout);
    server.stall(false);
    for received in [first(), second()] {
        assert_eq!(received.unwrap().get_int("k", None).unwrap(), 2);
    }
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_cancelled_asynchronous_wait_passes_the_error_cancelled() {
    let (server, source) = stalled();
    let (request, received) = waiting(&source, &within(None));
    server.wait_for_requests(2);
    request.cancel();
    assert_eq!(received().unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(source.get_int("k", None), Some(1));
}

#[test]
fn wait_async_for_any_data_sends_no_request_if_there_is_data() {
    let (server, source) = stalled();
    let (_request, received) = waiting(&source, &within(None).only_if_empty(true));
    assert!(received().is_ok());
    assert_eq!(server.requests(), 1);
}

#[test]
fn the_closure_of_wait_async_is_dropped_and_not_called_if_the_source_is_dropped() {
    let (server, source) = stalled();
    let (guard, drops) = tracked();
    let request = source.wait_async(&within(None), move |_| {
        guard.hold();
        unreachable!("the request was cancelled");
    });
    server.wait_for_requests(2);
    assert!(drops.are_none());
    drop((request, source));
    drops.wait();
}

#[test]
fn wait_async_on_a_source_of_a_closed_client_returns_closed_and_calls_no_closure() {
    let server = Server::start();
    let client = crate::support::client_of(&server);
    let source = crate::support::collection(&client).open().unwrap();
    client.close();
    let (guard, drops) = tracked();
    let request = source.wait_async(&within(None), move |_| guard.hold());
    assert_eq!(request.unwrap_err().kind(), ErrorKind::Closed);
    drops.wait();
    assert_eq!(source.prefetch().unwrap_err().kind(), ErrorKind::Closed);
}
