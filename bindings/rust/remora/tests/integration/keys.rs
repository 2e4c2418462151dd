// SPDX-License-Identifier: Apache-2.0

//! Bound keys.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use remora::{Client, ErrorKind, Key};

use crate::support::server::Server;
use crate::support::{packaged_source, records_json, source_of};

#[test]
fn a_key_handle_reads_each_type_and_returns_none_for_another_type() {
    let source = packaged_source(&[r#""v": true"#]);
    let key = source.key("a", "/v").unwrap();
    let reads = |key: &Key| {
        (
            key.get_bool(),
            key.get_int(),
            key.get_double(),
            key.get_string(),
        )
    };
    let text = |text: &str| Some(text.to_string());
    for (json, expected) in [
        ("false", (Some(false), None, None, None)),
        ("true", (Some(true), None, None, None)),
        ("-7", (None, Some(-7), Some(-7.0), None)),
        ("2.5", (None, None, Some(2.5), None)),
        (r#""""#, (None, None, None, text(""))),
        (r#""ü""#, (None, None, None, text("ü"))),
        ("null", (None, None, None, None)),
        ("[1]", (None, None, None, None)),
    ] {
        source.set_override("a", "/v", remora::Json(json)).unwrap();
        // The first read looks the value up, the second uses what is cached.
        assert_eq!(reads(&key), expected, "{json}");
        assert_eq!(reads(&key), expected, "{json}, cached");
    }
}

#[test]
fn a_key_handle_reads_every_integer_and_returns_none_only_for_a_missing_value() {
    let source = packaged_source(&["\"v\": [-9223372036854775808, 9223372036854775807]"]);
    for (pointer, expected) in [
        ("/v/0", Some(i64::MIN)),
        ("/v/1", Some(i64::MAX)),
        ("/v/2", None),
    ] {
        let key = source.key("a", pointer).unwrap();
        assert_eq!(key.get_int(), expected);
        assert_eq!(key.get_int(), expected);
    }
}

#[test]
fn a_key_handle_copies_strings_of_any_length() {
    let source = packaged_source(&[r#""t": """#]);
    let key = source.key("a", "/t").unwrap();
    for length in [0, 1, 63, 64, 65, 127, 128, 129, 5000] {
        let text = "x".repeat(length);
        let json = format!("\"{text}\"");
        source.set_override("a", "/t", remora::Json(&json)).unwrap();
        assert_eq!(key.get_string().as_ref(), Some(&text));
        assert_eq!(key.get_string(), Some(text));
    }
}

#[test]
fn a_key_handle_that_is_created_before_its_value_exists_reads_data_that_is_fetched_later() {
    let server = Server::start();
    let source = source_of(&server);
    let key = source.key("a", None).unwrap();
    let member = source.key("a", "/n").unwrap();
    assert_eq!(member.get_int(), None);
    server.publish(5, records_json(&["\"n\": 5"]));
    source.refresh(None).unwrap();
    assert_eq!((key.get_int(), member.get_int()), (None, Some(5)));
    server.publish(6, "[]");
    source.refresh(None).unwrap();
    assert_eq!(member.get_int(), None);
}

#[test]
fn a_key_handle_counts_changes_of_its_own_value_only() {
    let source = packaged_source(&["\"n\": 1"]);
    let key = source.key("a", "/n").unwrap();
    assert_eq!(key.change_count(), 0);
    for (pointer, json, count) in [
        ("/other", "1", 0),
        ("/n", "1", 0),
        ("/n", "2", 1),
        ("/n", "null", 2),
    ] {
        source
            .set_override("a", pointer, remora::Json(json))
            .unwrap();
        assert_eq!(key.change_count(), count, "{pointer} {json}");
    }
    source.set_override("a", "/n", 3).unwrap();
    source.set_override("a", "/n", 4).unwrap();
    assert_eq!(key.change_count(), 3);
}

#[test]
fn a_key_handle_keeps_its_source_open_until_the_client_is_closed() {
    let client = Client::in_memory().build().unwrap();
    let open = || {
        let builder = client.settings(None).fetch_at_open(false);
        builder.packaged_data("{\"n\": 1}").open().unwrap()
    };
    let source = open();
    let key = source.key("n", None).unwrap();
    source.set_override("n", None, 2).unwrap();
    drop(source);
    assert_eq!(key.get_int(), Some(2));
    // The source is the same one: a new one would not have the override.
    let source = open();
    assert_eq!(source.get_int("n", None), Some(2));
    client.close();
    assert_eq!((key.get_int(), key.get_string()), (None, None));
    let error = source.key("n", None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    drop(source);
    assert_eq!(key.get_bool(), None);
}

#[test]
fn creating_a_key_handle_with_a_malformed_key_or_json_pointer_is_an_error_that_names_it() {
    let source = packaged_source(&["\"n\": 1"]);
    for (key, pointer, name) in [
        ("", None, "key"),
        ("a\0", None, "key"),
        ("a", Some("n"), "pointer"),
        ("a", Some("/~"), "pointer"),
        ("a", Some("/\0"), "pointer"),
    ] {
        let error = source.key(key, pointer).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(name), "{error}");
    }
}

#[test]
fn the_debug_text_of_a_key_handle_has_its_key_and_json_pointer_and_no_value() {
    let source = packaged_source(&[r#""n": "secret""#]);
    assert_eq!(
        format!("{:?}", source.key("a", "/n").unwrap()),
        r#"Key { key: "a", pointer: Some("/n"), .. }"#
    );
}

#[test]
fn threads_that_share_a_key_handle_read_complete_values_while_new_values_are_published() {
    const PUBLICATIONS: i64 = 300;
    let source = packaged_source(&[r#""n": 0, "t": """#]);
    let number = source.key("a", "/n").unwrap();
    let text = source.key("a", "/t").unwrap();
    let is_over = AtomicBool::new(false);
    let publish = |n: i64| {
        let letters = ["a", "b", "c"][n as usize % 3].repeat(60);
        let json = format!("{{\"n\": {n}, \"t\": \"{letters}\"}}");
        source.set_override("a", None, remora::Json(&json)).unwrap();
    };
    publish(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (mut last, mut last_count) = (0, 0);
                while !is_over.load(Ordering::SeqCst) {
                    let (now, count) = (number.get_int().unwrap(), number.change_count());
                    let letters = text.get_string().unwrap();
                    assert!(now >= last && count >= last_count);
                    assert_eq!(letters, letters[..1].repeat(60));
                    (last, last_count) = (now, count);
                }
            });
        }
        (1..=PUBLICATIONS).for_each(publish);
        is_over.store(true, Ordering::SeqCst);
    });
    assert_eq!(number.get_int(), Some(PUBLICATIONS));
}

#[test]
fn a_key_handle_reads_urls_and_json() {
    let source = packaged_source(&[r#""u": "app://editor", "list": [1, 2]"#]);
    let (url, list) = (
        source.key("a", "/u").unwrap(),
        source.key("a", "/list").unwrap(),
    );
    assert_eq!(url.get_url().as_deref(), Some("app://editor"));
    assert_eq!(list.get_json().as_deref(), Some("[1,2]"));
    assert_eq!(
        (list.get_url(), source.key("b", None).unwrap().get_json()),
        (None, None)
    );
}
