// SPDX-License-Identifier: Apache-2.0

//! Overrides: values of the program that take precedence over fetched ones.

use remora::{Cause, ChangeKind, Client, ErrorKind, Json, Origin, Source, Trust};

use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{packaged_source, records_json, source_of, subscribed, DEADLINE};

fn places(source: &Source) -> Vec<String> {
    let overrides = source.overrides().unwrap();
    overrides
        .iter()
        .map(|one| format!("{}{}={}", one.key, one.pointer, one.json))
        .collect()
}

#[test]
fn an_override_is_read_until_it_is_cleared() {
    let source = packaged_source(&[r#""n": 1, "o": {"x": 1}"#]);
    source.set_override("a", "/n", 2).unwrap();
    source
        .set_override("a", "/o/y", Json(" [null, 1.5] "))
        .unwrap();
    source
        .set_override("new", None, Json(r#"{"z": "é"}"#))
        .unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(2));
    let snapshot = source.snapshot().unwrap();
    assert_eq!(snapshot.get_str("new", "/z").unwrap(), "é");
    assert_eq!(
        places(&source),
        ["a/n=2", "a/o/y=[null,1.5E0]", r#"new={"z":"\u00e9"}"#]
    );
    source.clear_override("a", "/o").unwrap();
    source.clear_override("new", None).unwrap();
    assert_eq!(places(&source), ["a/n=2"]);
    source.clear_overrides().unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(1));
    // A snapshot does not change.
    assert_eq!(snapshot.get_int("a", "/n").unwrap(), 2);
}

#[test]
fn an_override_takes_precedence_over_fetched_values_even_if_it_is_null() {
    let server = Server::start();
    let source = source_of(&server);
    source.set_override("a", "/n", Json("null")).unwrap();
    assert_eq!(
        source.snapshot().unwrap().origin_of("a"),
        Some(Origin::Override)
    );
    server.publish(2, records_json(&[r#""n": 1, "m": 1"#, r#""n": 2"#]));
    source.refresh(DEADLINE).unwrap();
    assert_eq!(source.get_int("a", "/n"), None);
    assert_eq!(source.get_int("a", "/m"), Some(1));
    let snapshot = source.snapshot().unwrap();
    assert_eq!(snapshot.origin_of("a"), Some(Origin::Override));
    assert_eq!(snapshot.origin_of("b"), Some(Origin::Fetched));
    for none in ["c", "", "a\0"] {
        assert_eq!(snapshot.origin_of(none), None);
    }
    let unfiltered = source.unfiltered_snapshot().unwrap();
    assert_eq!(unfiltered.get_int("a", "/n").unwrap(), 1);
    assert_eq!(unfiltered.origin_of("a"), Some(Origin::Fetched));
}

#[test]
fn set_override_if_exists_refuses_a_missing_key() {
    let source = packaged_source(&[r#""n": 1"#]);
    source
        .set_override_if_exists("a", "/o/deep", Json("[1]"))
        .unwrap();
    for pointer in [None, Some("/x")] {
        let error = source
            .set_override_if_exists("none", pointer, 1)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains("none"));
    }
    assert_eq!(places(&source), ["a/o/deep=[1]"]);
    source.set_override("none", None, Json("{}")).unwrap();
    let error = source.set_override_if_exists("none", "/x", 1);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(source.get_int("none", "/x"), None);
    for (key, pointer, json) in [
        ("", "", "1"),
        ("a", "n", "1"),
        ("a", "", "x"),
        ("a\0", "", "1"),
    ] {
        let error = source.set_override_if_exists(key, pointer, Json(json));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn subscribers_are_notified_of_changes_by_overrides() {
    let source = packaged_source(&[r#""n": 1"#]);
    let (_subscription, received) = subscribed(&source);
    source.set_override("a", "/n", 1).unwrap();
    source.set_override("b", "/n", 1).unwrap();
    let (cause, kinds) = received.recv_timeout(DEADLINE).unwrap();
    assert_eq!(cause, Cause::Override);
    assert_eq!(kinds, [(ChangeKind::Created, "b".to_string())]);
}

#[test]
fn an_invalid_override_is_refused_and_changes_nothing() {
    let source = packaged_source(&[r#""n": 1, "l": [1]"#]);
    let kind = |key: &str, pointer: &str, json: &str| {
        source
            .set_override(key, pointer, Json(json))
            .unwrap_err()
            .kind()
    };
    for (key, pointer, json) in [
        ("", "", "1"),
        ("a\0", "", "1"),
        ("a", "n", "1"),
        ("a", "/~", "1"),
        ("a", "/\0", "1"),
        ("a", "", ""),
        ("a", "", "{"),
        ("a", "", "1\0"),
    ] {
        assert_eq!(
            kind(key, pointer, json),
            ErrorKind::InvalidArgument,
            "{key:?} {pointer:?} {json:?}"
        );
    }
    for pointer in ["/n/x", "/l/0"] {
        assert_eq!(kind("a", pointer, "1"), ErrorKind::WrongType);
    }
    for pointer in ["", "/n"] {
        let error = source.clear_override("a", pointer).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
    assert!(source.overrides().unwrap().is_empty());
}

#[test]
fn overrides_are_stored_only_with_the_option_persist_overrides() {
    let directory = Directory::new();
    for (persists, expected) in [(true, 0), (false, 0), (true, 1)] {
        let client = Client::builder(&directory).build().unwrap();
        let source = client
            .collection("kept")
            .trust(Trust::Off)
            .persist_overrides(persists)
            .open()
            .unwrap();
        assert_eq!(source.overrides().unwrap().len(), expected);
        source.set_override("a", None, 1).unwrap();
    }
}

#[test]
fn calls_for_overrides_of_a_closed_client_return_closed() {
    let client = Client::in_memory().build().unwrap();
    let source = client.collection("things").open().unwrap();
    source.set_override("a", None, 1).unwrap();
    client.close();
    let ends = [
        source.set_override("a", None, 2),
        source.clear_override("a", None),
        source.clear_overrides(),
        source.overrides().map(|_| ()),
    ];
    for end in ends {
        assert_eq!(end.unwrap_err().kind(), ErrorKind::Closed);
    }
}

#[test]
fn an_override_is_set_from_each_type_of_value() {
    let source = packaged_source(&[]);
    source.set_override("bool", None, true).unwrap();
    source.set_override("int", None, i64::MAX).unwrap();
    source.set_override("double", None, 0.5).unwrap();
    let quoted = "a \"quoted\" text".to_string();
    source.set_override("string", None, &quoted).unwrap();
    assert_eq!(source.get_bool("bool", None), Some(true));
    assert_eq!(source.get_int("int", None), Some(i64::MAX));
    assert_eq!(source.get_double("double", None), Some(0.5));
    assert_eq!(source.get_string("string", None), Some(quoted));
    for error in [
        source.set_override("double", None, f64::NAN).unwrap_err(),
        source.set_override("string", None, "a\0b").unwrap_err(),
        source.set_override("json", None, Json("{")).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}
