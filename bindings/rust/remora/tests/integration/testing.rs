// SPDX-License-Identifier: Apache-2.0

//! The test server and the clock.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use remora::testing::{Clock, Server};
use remora::{Client, ErrorKind, Outcome, Source, Trust};

const HOUR: Duration = Duration::from_secs(3600);

fn records(time: i64, number: i64) -> String {
    format!(r#"[{{"id": "a", "last_modified": {time}, "n": {number}}}]"#)
}

fn open(server: &Server, clock: &Clock) -> (Client, Source) {
    let builder = Client::in_memory().server(server.url());
    let client = builder.transport(server).clock(clock).build().unwrap();
    let source = client.collection("demo").trust(Trust::Off).open().unwrap();
    (client, source)
}

#[test]
#[should_panic(expected = "the timestamp 1000 of demo is not greater than 1000")]
fn the_test_server_refuses_a_version_that_is_not_newer_than_the_last_one() {
    let server = Server::new();
    server.publish("demo", 1000, records(1000, 1));
    server.publish("demo", 1000, records(1000, 2));
}

#[test]
fn a_client_fetches_each_version_that_the_test_server_publishes() {
    let (server, clock) = (Server::new(), Clock::new());
    let (client, source) = open(&server, &clock);
    assert_eq!(source.refresh(None).unwrap_err().http_status(), Some(404));
    for (time, number) in [(1000, 1), (2000, 2)] {
        server.publish("demo", time, records(time, number));
        assert_eq!(source.refresh(None).unwrap(), Outcome::Updated);
        assert_eq!(source.get_int("a", "/n"), Some(number));
    }
    assert_eq!(source.refresh(None).unwrap(), Outcome::Unchanged);
    server.publish("demo", 3000, records(3000, 3));
    assert_eq!(client.sync(None).unwrap().updated, 1);
    assert_eq!(source.get_int("a", "/n"), Some(3));
    assert!(server.requests().last().unwrap().contains("/demo/"));
}

#[test]
fn the_test_server_serves_a_settings_document_at_a_url() {
    let server = Server::new();
    server.publish_document("https://settings.test/app", r#"{"banner": {"n": 4}}"#);
    let client = Client::in_memory().transport(&server).build().unwrap();
    let settings = client.settings("https://settings.test/app").open().unwrap();
    settings.refresh(None).unwrap();
    settings.activate(None).unwrap();
    assert_eq!(settings.get_int("banner", "/n"), Some(4));
}

#[test]
fn the_test_server_can_fail_requests_and_the_test_clock_can_end_the_retry_after_time() {
    let (server, clock) = (Server::new(), Clock::new());
    let (_client, source) = open(&server, &clock);
    server.publish("demo", 1000, records(1000, 1));
    source.refresh(None).unwrap();
    server.down();
    let error = source.refresh(None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(error.message().contains("down"), "{error}");
    server.up();
    server.fail_next(1, 503, Duration::from_secs(30));
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Http);
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Backoff);
    assert_eq!(source.get_int("a", "/n"), Some(1));
    clock.advance(Duration::from_secs(30));
    assert_eq!(source.refresh(None).unwrap(), Outcome::Unchanged);
    let start = UNIX_EPOCH + Duration::from_secs(1_893_456_000);
    assert_eq!(clock.now(), start + Duration::from_secs(30));
}

#[test]
fn a_periodic_refresh_runs_when_the_test_clock_is_advanced() {
    let (server, clock) = (Server::new(), Clock::new());
    server.publish("demo", 1000, records(1000, 1));
    let builder = Client::in_memory().server(server.url());
    let client = builder.transport(&server).clock(&clock).build().unwrap();
    let (send, seen) = mpsc::channel();
    let collection = client.collection("demo").trust(Trust::Off);
    let source = collection.refresh_interval(HOUR).open().unwrap();
    source.refresh(None).unwrap();
    let _subscription = source
        .subscribe(None, move |event| {
            let _ = send.send(event.version());
        })
        .unwrap();
    server.publish("demo", 2000, records(2000, 2));
    clock.advance(HOUR);
    assert_eq!(seen.recv_timeout(Duration::from_secs(20)).unwrap(), 2000);
}

#[test]
fn a_clone_of_the_test_clock_on_another_thread_advances_the_same_time() {
    let clock = Clock::new();
    let other = clock.clone();
    thread::spawn(move || other.advance(HOUR)).join().unwrap();
    assert_eq!(clock.now(), Clock::new().now() + HOUR);
}
