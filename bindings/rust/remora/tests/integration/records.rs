// SPDX-License-Identifier: Apache-2.0

//! Records: the members of every record, and its own.

use std::time::{Duration, UNIX_EPOCH};

use remora::{ErrorKind, Snapshot};

use crate::support::{collection, memory_client, packaged_source};

fn snapshot(records: &[&str]) -> Snapshot {
    packaged_source(records).snapshot().unwrap()
}

#[test]
fn a_record_has_an_id_a_time_of_modification_and_fields() {
    let data = r#"{"data": [{"id": "x", "last_modified": 1700000000123, "z": [1], "B": null,
        "attachment": {}, "a": "text"}], "timestamp": 1700000000123}"#;
    let source = collection(&memory_client()).packaged_data(data).open();
    let snapshot = source.unwrap().snapshot().unwrap();
    let record = snapshot.record("x").unwrap();
    assert_eq!((record.id(), record.last_modified()), ("x", 1700000000123));
    let modified_at = UNIX_EPOCH + Duration::from_millis(1700000000123);
    assert_eq!(record.modified_at(), Some(modified_at));
    let fields: Vec<_> = record
        .fields()
        .map(|(name, value)| (name, value.to_json().unwrap()))
        .collect();
    let text = |name, value: &str| (name, value.to_string());
    assert_eq!(
        fields,
        [text("B", "null"), text("a", "\"text\""), text("z", "[1]")]
    );
    assert_eq!(record.fields().next_back().unwrap().0, "z");
    assert!(record.get("B").unwrap().is_null() && record.get("b").is_none());
    assert_eq!(record.get("id").unwrap().as_str(), Some("x"));
    assert_eq!(record.value().len(), 6);
}

#[test]
fn the_json_text_of_the_fields_of_a_record_is_canonical() {
    let names = [
        "\"q\\\"\\\\\\n\\u0001\": 0.75",
        "\"\u{e9}\\ud83d\\ude00\": 1",
        "\"\": true",
    ];
    let snapshot = snapshot(&[&names.join(", ")]);
    let record = snapshot.record("a").unwrap();
    let text = r#"{"":true,"q\"\\\n\u0001":7.5E-1,"\u00e9\ud83d\ude00":1}"#;
    assert_eq!(record.fields_json().unwrap(), text);
}

#[test]
fn the_fields_of_a_record_without_fields_are_an_empty_object() {
    let data = "{\"data\": [{\"id\": \"x\", \"last_modified\": 1}], \"timestamp\": 1}";
    let source = collection(&memory_client()).packaged_data(data).open();
    let snapshot = source.unwrap().snapshot().unwrap();
    let record = snapshot.record("x").unwrap();
    assert_eq!(
        (record.fields().count(), record.fields_json().unwrap()),
        (0, "{}".to_string())
    );
    assert_eq!(record.attachment().unwrap(), None);
}

#[test]
fn a_value_that_is_not_an_object_has_no_fields_and_no_text_of_fields() {
    let settings = memory_client().settings(None).fetch_at_open(false);
    let settings = settings.packaged_data(r#"{"n": 1}"#).open().unwrap();
    let snapshot = settings.snapshot().unwrap();
    let number = snapshot.records().next().unwrap();
    assert_eq!((number.id(), number.fields().count()), ("n", 0));
    let error = number.fields_json().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
}

#[test]
fn records_are_iterated_in_the_order_of_their_ids_from_both_ends() {
    let snapshot = snapshot(&["\"n\": 1", "\"n\": 2", "\"n\": 3"]);
    let mut records = snapshot.records();
    assert_eq!(records.len(), 3);
    assert_eq!(records.next().unwrap().id(), "a");
    assert_eq!(records.next_back().unwrap().id(), "c");
    let last = records.next().unwrap();
    assert_eq!((last.id(), records.len()), ("b", 0));
    assert_eq!(last.get("n").unwrap().as_i64(), Some(2));
    assert!(snapshot.record("d").is_none() && snapshot.record("").is_none());
    assert!(snapshot.record("a\0").is_none());
}

#[test]
fn the_debug_text_of_a_record_contains_no_value() {
    let snapshot = snapshot(&["\"text\": \"secret\""]);
    let printed = format!("{:?}", snapshot.record("a"));
    assert!(
        printed.contains("\"a\"") && !printed.contains("secret"),
        "{printed}"
    );
}
