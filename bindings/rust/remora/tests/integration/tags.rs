// SPDX-License-Identifier: Apache-2.0

//! The tags of settings.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use remora::{Activation, ErrorKind, Settings, Source};

use crate::settings::settings_of;
use crate::support::server::Server;
use crate::support::{memory_client, DEADLINE};

const MOMENT: Duration = Duration::from_millis(50);

/// Settings in memory that send no request by themselves.
fn opened(server: &Server) -> Settings {
    settings_of(server, &memory_client()).open().unwrap()
}

/// Returns the value of "k", after a wait for a fresh one.
fn k(source: &Source, limit: Duration) -> Option<i64> {
    let _ = source.wait(limit);
    source.get_int("k", None)
}

#[test]
fn settings_with_a_tag_use_the_options_of_the_main_settings_and_are_read_at_once() {
    let server = Server::start();
    server.answer_with(r#"{"root": {"k": 5}}"#);
    let builder = settings_of(&server, &memory_client()).root_key("root");
    let builder = builder.param("user", "u1").tag_item("context");
    let builder = builder.packaged_data(r#"{"root": {"k": 1}}"#);
    let settings = builder.activation(Activation::Manual).open().unwrap();
    let editor = settings.tag("editor", None).unwrap();
    assert_eq!(
        editor.get_int("k", None),
        None,
        "what is packaged is of no tag"
    );
    assert_eq!(k(&editor, DEADLINE), Some(5));
    assert_eq!(
        settings.tag("editor", None).unwrap().get_int("k", None),
        Some(5)
    );
    assert_eq!(settings.get_int("k", None), Some(1));
    let head = server.last_head();
    assert!(head.contains("?user=u1&context=editor HTTP"), "{head}");
}

#[test]
fn settings_with_a_tag_stay_open_as_long_as_a_clone_of_the_main_settings() {
    let server = Server::start();
    server.answer_with(r#"{"k": 5}"#);
    let settings = opened(&server);
    let clone = settings.clone();
    assert_eq!(k(&settings.tag("x", None).unwrap(), DEADLINE), Some(5));
    assert_eq!(k(&settings.tag("y", None).unwrap(), DEADLINE), Some(5));
    drop(settings);
    assert_eq!(clone.tag("x", None).unwrap().get_int("k", None), Some(5));
    assert_eq!(
        k(&clone.tag("y", None).unwrap(), DEADLINE),
        Some(5),
        "it is fresh"
    );
    assert_eq!(server.requests(), 2);
    let source: Source = Source::clone(&clone);
    drop(clone);
    assert!(source.snapshot().is_ok());
}

#[test]
fn settings_with_a_tag_can_be_used_after_the_main_settings_were_dropped() {
    let server = Server::start();
    server.answer_with(r#"{"k": 5}"#);
    let client = memory_client();
    let settings = settings_of(&server, &client).open().unwrap();
    let tag = settings.tag("x", None).unwrap();
    drop(settings);
    assert_eq!(k(&tag, DEADLINE), Some(5));
    assert_eq!(client.sources().unwrap().len(), 1);
    drop(tag);
    assert!(client.sources().unwrap().is_empty());
}

#[test]
fn settings_with_a_tag_are_fresh_for_their_own_lifetime_or_that_of_the_main_settings() {
    let server = Server::start();
    server.answer_with(r#"{"k": 5}"#);
    let builder = settings_of(&server, &memory_client()).ttl(Duration::ZERO);
    let settings = builder.open().unwrap();
    let (long, never) = (Duration::from_secs(1000), Duration::ZERO);
    for (tag, ttl, requests) in [("a", Some(long), 1), ("b", Some(never), 3), ("c", None, 5)] {
        let tag = settings.tag(tag, ttl).unwrap();
        for _ in 0..2 {
            assert_eq!(k(&tag, DEADLINE), Some(5));
        }
        assert_eq!(server.requests(), requests);
    }
}

#[test]
fn a_wait_that_times_out_keeps_the_previous_data_and_a_late_response_changes_nothing() {
    let server = Server::start();
    server.answer_with(r#"{"k": 5}"#);
    let builder = settings_of(&server, &memory_client()).ttl(Duration::ZERO);
    let settings = builder.open().unwrap();
    let tag = settings.tag("x", None).unwrap();
    assert_eq!(k(&tag, DEADLINE), Some(5));
    server.answer_with(r#"{"k": 9}"#);
    server.stall(true);
    assert_eq!(tag.wait(MOMENT).unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(tag.get_int("k", None), Some(5));
    assert_eq!(
        k(&settings.tag("new", None).unwrap(), MOMENT).unwrap_or(3),
        3
    );
    assert_eq!(k(&tag, Duration::ZERO), Some(5));
    server.stall(false);
    assert_eq!(tag.get_int("k", None), Some(5));
    server.answer_with(r#"{"other": 1}"#);
    assert_eq!(
        k(&tag, DEADLINE),
        None,
        "a fresh answer without it has no value"
    );
}

#[test]
fn a_wait_shares_the_request_of_a_running_prefetch() {
    let server = Server::start();
    server.answer_with(r#"{"k": 9}"#);
    server.stall(true);
    let settings = opened(&server);
    settings.tag("x", None).unwrap().prefetch().unwrap();
    server.wait_for_requests(1);
    let tag = settings.tag("x", None).unwrap();
    let waiting = thread::spawn(move || k(&tag, DEADLINE));
    server.stall(false);
    assert_eq!(waiting.join().unwrap(), Some(9));
    settings.tag("x", None).unwrap().prefetch().unwrap();
    assert_eq!(k(&settings.tag("x", None).unwrap(), DEADLINE), Some(9));
    assert_eq!(server.requests(), 1, "it is fresh");
}

#[test]
fn threads_that_open_settings_with_the_same_tag_at_the_same_time_share_one_source() {
    let server = Server::start();
    server.answer_with(r#"{"k": 9}"#);
    let settings = opened(&server);
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.wait();
                for tag in ["a", "b", "c"] {
                    assert_eq!(k(&settings.tag(tag, None).unwrap(), DEADLINE), Some(9));
                }
            });
        }
    });
    assert_eq!(server.requests(), 3);
}

#[test]
fn an_error_about_an_invalid_tag_of_settings_names_the_option() {
    let server = Server::start();
    let client = memory_client();
    let settings = settings_of(&server, &client).open().unwrap();
    for tag in ["", "a\0b", &"t".repeat(257)] {
        let error = settings.tag(tag, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains("tag"), "{error}");
    }
    let kept = settings.tag("t", None).unwrap();
    let error = kept.tag("u", None).unwrap_err();
    assert!(error.message().contains("has no tags"), "{error}");
    client.close();
    for tag in ["t", "u"] {
        assert_eq!(
            settings.tag(tag, None).unwrap_err().kind(),
            ErrorKind::Closed
        );
    }
    assert_eq!(kept.prefetch().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(server.requests(), 0);
}
