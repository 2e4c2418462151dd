// SPDX-License-Identifier: Apache-2.0

//! Waiting for a fresh snapshot without blocking a thread.

use std::time::Duration;

use remora::{Awaited, ErrorKind, Request, Source, Wait};

use crate::settings::settings_of;
use crate::support::server::Server;
use crate::support::{memory_client, records_json, reports, source_of, tracked, DEADLINE};

/// A wait, and its result.
fn waiting(
    source: &Source,
    wait: Wait,
    timeout: Option<Duration>,
) -> (Request, impl Fn() -> Awaited) {
    let (sender, received) = reports();
    let request = source.wait_async(wait, timeout, move |awaited| sender.send(awaited).unwrap());
    (request.unwrap(), received)
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

fn is_fallback(awaited: &Awaited, kind: ErrorKind) -> bool {
    awaited.get_int("k", None) == Some(1) && awaited.error().map(|error| error.kind()) == Some(kind)
}

#[test]
fn wait_async_passes_the_fetched_snapshot_to_its_closure_once() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    let (guard, drops) = tracked();
    let (sender, received) = reports();
    let request = source.wait_async(Wait::Refreshed, None, move |awaited| {
        guard.hold();
        sender.send(awaited).unwrap();
    });
    assert_eq!(received().ready().unwrap().get_int("a", "/n").unwrap(), 1);
    drops.wait();
    drop(request.unwrap());
}

#[test]
fn concurrent_asynchronous_waits_share_one_request_and_have_separate_timeouts() {
    let (server, source) = stalled();
    server.answer_with(r#"{"k": 2}"#);
    let (_one, first) = waiting(&source, Wait::Refreshed, None);
    let (_two, second) = waiting(&source, Wait::Refreshed, Some(DEADLINE));
    let (_three, third) = waiting(&source, Wait::Refreshed, Some(Duration::from_millis(50)));
    assert!(is_fallback(&third(), ErrorKind::Timeout));
    server.stall(false);
    for received in [first(), second()] {
        assert_eq!(received.ready().unwrap().get_int("k", None).unwrap(), 2);
    }
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_cancelled_asynchronous_wait_passes_the_previous_snapshot_and_the_error_cancelled() {
    let (server, source) = stalled();
    let (request, received) = waiting(&source, Wait::Refreshed, None);
    server.wait_for_requests(2);
    request.cancel();
    assert!(is_fallback(&received(), ErrorKind::Cancelled));
}

#[test]
fn wait_async_for_any_data_or_with_timeout_zero_sends_no_request_if_there_is_data() {
    let (server, source) = stalled();
    for (wait, timeout) in [
        (Wait::Refreshed, Some(Duration::ZERO)),
        (Wait::AnyData, None),
    ] {
        let (_request, received) = waiting(&source, wait, timeout);
        assert!(received().error().is_none());
    }
    assert_eq!(server.requests(), 1);
}

#[test]
fn the_closure_of_wait_async_is_dropped_and_not_called_if_the_source_is_dropped() {
    let (server, source) = stalled();
    let (guard, drops) = tracked();
    let request = source.wait_async(Wait::Refreshed, None, move |_| {
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
    let request = source.wait_async(Wait::Refreshed, None, move |_| guard.hold());
    assert_eq!(request.unwrap_err().kind(), ErrorKind::Closed);
    drops.wait();
    assert_eq!(source.prefetch().unwrap_err().kind(), ErrorKind::Closed);
}
