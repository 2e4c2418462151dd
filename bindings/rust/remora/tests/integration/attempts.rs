// SPDX-License-Identifier: Apache-2.0

//! The attempts to refresh that a client reports.

use std::sync::mpsc::channel;
use std::time::Duration;

use remora::{Client, ErrorKind, Outcome};

use crate::support::server::Server;
use crate::support::{collection, records_json, reports, tracked};

#[test]
fn each_refresh_attempt_is_reported_with_its_outcome_bytes_and_duration() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let (sender, attempt) = reports();
    let client = Client::in_memory()
        .server(server.url())
        .on_attempt(move |attempt| {
            let what = (attempt.source_name(), attempt.outcome());
            let cost = (attempt.bytes(), attempt.http_status(), attempt.duration());
            let error = attempt.error().map(|error| error.kind());
            sender.send((attempt.server(), what, cost, error)).unwrap();
        })
        .build()
        .unwrap();
    let source = collection(&client).open().unwrap();
    let things = |outcome| ("main/things".to_string(), outcome);

    assert_eq!(client.sync(None).unwrap().updated, 1);
    let (url, what, (bytes, status, _), error) = attempt();
    assert_eq!(url, server.url() + "/v2");
    assert_eq!(what, ("monitor/changes".to_string(), Outcome::Updated));
    assert!(bytes > 0);
    assert_eq!((status, error), (Some(200), None));
    let (_, what, (bytes, status, _), error) = attempt();
    assert_eq!(what, things(Outcome::Updated));
    assert!(bytes > 0);
    assert_eq!((status, error), (Some(200), None));

    // Spared by the monitor.
    assert_eq!(client.sync(None).unwrap().unchanged, 1);
    attempt();
    let (_, what, cost, error) = attempt();
    assert_eq!(what, things(Outcome::Unchanged));
    assert_eq!((cost, error), ((0, None, Duration::ZERO), None));

    server.fail(500, "");
    source.refresh(None).unwrap_err();
    let (_, what, (_, status, _), error) = attempt();
    assert_eq!(what, things(Outcome::Failed));
    assert_eq!((status, error), (Some(500), Some(ErrorKind::Http)));
}

#[test]
fn the_closure_that_receives_refresh_attempts_is_not_called_again_after_it_panicked() {
    let server = Server::start();
    let (guard, drops) = tracked();
    let (sender, calls) = channel();
    let client = Client::in_memory()
        .server(server.url())
        .on_attempt(move |attempt| {
            guard.hold();
            sender.send(attempt.outcome()).unwrap();
            panic!("in a closure for attempts");
        })
        .build()
        .unwrap();
    let source = collection(&client).open().unwrap();
    let (finish, finished) = reports();
    let subscription = source.subscribe(None, move |event| {
        finish.send(event.outcome()).unwrap();
    });
    for outcome in [Outcome::Updated, Outcome::Unchanged, Outcome::Unchanged] {
        assert_eq!(source.refresh(None), Ok(outcome));
        assert_eq!(finished(), Some(outcome));
    }
    drop((subscription, source));
    client.close();
    drops.wait();
    assert!(drops.are_none());
    let calls: Vec<_> = calls.iter().collect();
    assert_eq!(calls, [Outcome::Updated]);
}

#[test]
fn the_closure_that_receives_refresh_attempts_is_dropped_once_if_no_client_is_created() {
    let (guard, drops) = tracked();
    let builder = Client::in_memory().server("nonsense");
    assert!(builder.on_attempt(move |_| guard.hold()).build().is_err());
    drops.wait();
}
