// SPDX-License-Identifier: Apache-2.0

//! Reading snapshots and values.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::thread;

use remora::{ChangeKind, Client, ErrorKind, Kind, Origin, Snapshot, Source, Value};

use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{collection, memory_client, packaged, packaged_source, records_json};

fn snapshot(records: &[&str]) -> Snapshot {
    packaged_source(records).snapshot().unwrap()
}

#[test]
fn a_source_without_data_returns_an_empty_snapshot() {
    let snapshot = collection(&memory_client())
        .open()
        .unwrap()
        .snapshot()
        .unwrap();
    assert!(snapshot.is_empty());
    assert_eq!(snapshot.iter().next().map(|(key, _)| key), None);
    assert_eq!(snapshot.to_json().unwrap(), "{}");
    let info = snapshot.info();
    assert_eq!(
        (info.origin, info.version, info.count),
        (Origin::Nothing, 0, 0)
    );
    assert_eq!((info.fetched_at, info.verified), (None, false));
}

#[test]
fn the_iterator_of_a_snapshot_returns_sorted_keys_from_both_ends_and_has_an_exact_length() {
    let snapshot = snapshot(&["\"n\": 1", "\"n\": 2", "\"n\": 3"]);
    let number = |value: Value<'_>| value.member("n").unwrap().as_i64().unwrap();
    let forth: Vec<_> = snapshot
        .iter()
        .map(|(key, value)| (key, number(value)))
        .collect();
    assert_eq!(forth, [("a", 1), ("b", 2), ("c", 3)]);
    let mut entries = (&snapshot).into_iter();
    assert_eq!(entries.next_back().unwrap().0, "c");
    assert_eq!(entries.len(), 2);
    assert_eq!(entries.by_ref().count(), 2);
}

#[test]
fn typed_reads_report_why_a_value_is_missing() {
    let snapshot = snapshot(&["\"yes\": true, \"n\": 3, \"half\": 0.5, \"none\": null"]);
    assert!(snapshot.get_bool("a", "/yes").unwrap());
    assert_eq!(snapshot.get_int("a", "/n").unwrap(), 3);
    assert_eq!(snapshot.get_double("a", "/half").unwrap(), 0.5);
    assert_eq!(snapshot.get_double("a", "/n").unwrap(), 3.0);
    assert_eq!(snapshot.get_str("a", "/id").unwrap(), "a");
    let kind = |key: &str, pointer| snapshot.get_int(key, pointer).unwrap_err().kind();
    assert_eq!(kind("z", None), ErrorKind::NotFound);
    assert_eq!(kind("a", Some("/z")), ErrorKind::NotFound);
    assert_eq!(kind("a", Some("/none")), ErrorKind::NotFound);
    assert_eq!(kind("a", None), ErrorKind::WrongType);
    assert_eq!(kind("a", Some("/half")), ErrorKind::WrongType);
    assert_eq!(kind("a", Some("no slash")), ErrorKind::InvalidArgument);
    assert_eq!(kind("", None), ErrorKind::InvalidArgument);
    assert_eq!(kind("a\0", None), ErrorKind::InvalidArgument);
    assert_eq!(kind("a", Some("/n\0")), ErrorKind::InvalidArgument);
}

#[test]
fn a_string_that_contains_a_nul_is_read_completely() {
    let snapshot = snapshot(&["\"text\": \"one\\u0000two\""]);
    assert_eq!(snapshot.get_str("a", "/text").unwrap(), "one\0two");
    let value = snapshot.get("a").unwrap().member("text").unwrap();
    assert_eq!(value.as_str(), Some("one\0two"));
    assert_eq!(value.to_json().unwrap(), "\"one\\u0000two\"");
}

#[test]
fn a_key_or_member_name_that_contains_a_nul_is_not_found() {
    let snapshot = snapshot(&["\"n\": 1"]);
    assert!(snapshot.get("a\0").is_none());
    let value = snapshot.get("a").unwrap();
    assert!(value.member("n\0").is_none());
    assert!(value.at("/n\0").is_none());
}

#[test]
fn a_value_has_a_type_and_converts_only_if_the_conversion_is_exact() {
    let snapshot =
        snapshot(&["\"v\": [null, true, 7, 1.5, \"é\", [1], {\"k\": 2}, 9007199254740992.0]"]);
    let array = snapshot.get("a").unwrap().member("v").unwrap();
    let kinds: Vec<Kind> = array.elements().map(Value::kind).collect();
    use Kind::*;
    assert_eq!(
        kinds,
        [Null, Bool, Int, Double, String, Array, Object, Double]
    );
    let at = |index| array.element(index).unwrap();
    assert!(at(0).is_null() && !at(1).is_null());
    assert_eq!((at(1).as_bool(), at(2).as_bool()), (Some(true), None));
    assert_eq!((at(2).as_i64(), at(3).as_i64()), (Some(7), None));
    assert_eq!(at(7).as_i64(), Some(1 << 53));
    assert_eq!(
        (at(3).as_f64(), at(2).as_f64(), at(4).as_f64()),
        (Some(1.5), Some(7.0), None)
    );
    assert_eq!((at(4).as_str(), at(2).as_str()), (Some("é"), None));
    assert_eq!((at(5).len(), at(6).len(), at(4).len()), (1, 1, 0));
    assert!(array.element(8).is_none() && at(6).element(0).is_none());
}

#[test]
fn members_elements_and_json_pointers_read_the_parts_of_a_value() {
    let snapshot = snapshot(&["\"o\": {\"b\": [10, 20], \"a\": null}"]);
    let object = snapshot.get("a").unwrap().at("/o").unwrap();
    let names: Vec<&str> = object.members().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(object.members().rev().len(), 2);
    assert_eq!(object.elements().len(), 0);
    let array = object.member("b").unwrap();
    assert_eq!(array.members().len(), 0);
    assert_eq!(
        array
            .elements()
            .rev()
            .filter_map(Value::as_i64)
            .collect::<Vec<_>>(),
        [20, 10]
    );
    assert_eq!(
        snapshot.get("a").unwrap().at("/o/b/1").unwrap().as_i64(),
        Some(20)
    );
    assert!(object.member("a").unwrap().is_null());
    assert!(object.at("").is_some() && object.at("/c").is_none() && object.at("b").is_none());
}

#[test]
fn the_json_text_of_a_value_is_canonical_and_complete_at_any_length() {
    let long = "x".repeat(1000);
    let snapshot = snapshot(&[&format!("\"z\": 0.75, \"long\": \"{long}\"")]);
    let text = format!("{{\"id\":\"a\",\"last_modified\":1,\"long\":\"{long}\",\"z\":7.5E-1}}");
    let value = snapshot.get("a").unwrap();
    assert_eq!(value.to_json().unwrap(), text);
    assert_eq!(snapshot.to_json().unwrap(), format!("{{\"a\":{text}}}"));
    assert_eq!(format!("{value:?}"), text);
}

/// A collection whose stored file is mapped, and can be overwritten meanwhile.
struct Stored {
    server: Server,
    parent: Directory,
}

impl Stored {
    fn new(records: &str) -> Self {
        let stored = Self {
            server: Server::start(),
            parent: Directory::new(),
        };
        stored.server.publish(5, records);
        stored.open().refresh(None).unwrap();
        stored
    }

    fn open(&self) -> Source {
        let client = Client::builder(self.directory()).server(self.server.url());
        collection(&client.build().unwrap()).open().unwrap()
    }

    /// Only files in a private directory are mapped.
    fn directory(&self) -> PathBuf {
        self.parent.path("private")
    }

    fn overwrite(&self, change: impl Fn(&mut [u8])) {
        let files = fs::read_dir(self.directory()).unwrap();
        for path in files.map(|file| file.unwrap().path()) {
            if path.extension().map_or(false, |name| name == "live") {
                let mut bytes = fs::read(&path).unwrap();
                change(&mut bytes);
                // Not truncated, because the snapshot maps the file.
                let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
                file.write_all(&bytes).unwrap();
            }
        }
    }
}

#[test]
fn a_value_whose_stored_file_was_overwritten_reports_this_instead_of_an_empty_text() {
    let stored = Stored::new(&records_json(&["\"list\": [1, 2], \"object\": {\"n\": 1}"]));
    let snapshot = stored.open().snapshot().unwrap();
    let value = snapshot.get("a").unwrap();
    let list = value.member("list").unwrap();
    let (mut entries, mut members) = (snapshot.iter(), value.members());
    let mut elements = list.elements();
    stored.overwrite(|bytes| bytes.fill(0xff));
    assert!(entries.next().is_none() && members.next_back().is_none());
    assert_eq!((entries.len(), members.len()), (0, 0));
    assert!(elements.next().is_none() && elements.len() == 0);
    let error = list.to_json().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let whole = snapshot.to_json().unwrap_err();
    assert_eq!(whole.kind(), ErrorKind::Corrupt);
    assert_eq!(format!("{list:?}"), format!("<{}>", error.message()));
}

#[test]
fn a_key_or_name_that_was_overwritten_with_bytes_that_are_not_utf_8_ends_the_iterator() {
    let record = |id: &str, name: &str| {
        format!("{{\"id\": \"{id}\", \"last_modified\": 1, \"a\": 1, \"{name}\": 1, \"z\": 1}}")
    };
    let (key, name) = ("damaged-key", "damaged-name");
    let stored = Stored::new(&format!(
        "[{}, {}, {}]",
        record("a", name),
        record(key, "n"),
        record("z", "n")
    ));
    let snapshot = stored.open().snapshot().unwrap();
    let empty = collection(&memory_client()).open().unwrap();
    let empty = empty.snapshot().unwrap();
    let value = snapshot.get("a").unwrap();
    assert_eq!((snapshot.len(), value.len()), (3, 5));
    stored.overwrite(|bytes| {
        for text in [key.as_bytes(), name.as_bytes()] {
            for start in 0..bytes.len() - text.len() {
                if bytes[start..].starts_with(text) {
                    bytes[start..start + text.len()].fill(0xff);
                }
            }
        }
    });
    let keys: Vec<&str> = snapshot.iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a"]);
    let ids: Vec<&str> = snapshot.records().rev().map(|record| record.id()).collect();
    assert_eq!(ids, ["z"]);
    let names: Vec<&str> = value.members().map(|(name, _)| name).collect();
    assert_eq!(names, ["a"]);
    let mut entries = snapshot.iter();
    assert_eq!(entries.by_ref().count(), 1);
    assert!(entries.len() == 0 && entries.next().is_none() && entries.next_back().is_none());
    let changes = snapshot.diff(&empty);
    let changed: Vec<&str> = changes.iter().map(|change| change.key()).collect();
    assert_eq!(changed, ["a", "z"]);
    let whole = snapshot.to_json().unwrap_err();
    assert_eq!(whole.kind(), ErrorKind::Corrupt);
}

#[test]
fn a_snapshot_can_be_read_in_any_thread_after_its_source_and_client_were_dropped() {
    let snapshot = snapshot(&["\"text\": \"kept\""]);
    let clone = snapshot.clone();
    let thread = thread::spawn(move || clone.get_str("a", "/text").unwrap().to_string());
    assert_eq!(thread.join().unwrap(), "kept");
    let value = snapshot.get("a").unwrap();
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(value.member("text").unwrap().as_str(), Some("kept")));
    });
}

#[test]
fn a_string_that_is_read_from_a_value_stays_valid_as_long_as_the_snapshot() {
    let snapshot = snapshot(&["\"text\": \"borrowed\""]);
    let text = {
        let value = snapshot.get("a").unwrap();
        value.member("text").unwrap().as_str().unwrap()
    };
    assert_eq!(text, "borrowed");
}

#[test]
fn the_difference_of_two_snapshots_compares_values_and_keeps_the_snapshots_alive() {
    let open = |name: &str, timestamp, records: &[&str]| {
        let data = packaged(timestamp, records);
        let source = memory_client()
            .collection(name)
            .packaged_data(data)
            .open()
            .unwrap();
        source.snapshot().unwrap()
    };
    let old = open("old", 1, &["\"n\": 1", "\"n\": 2", "\"n\": 0.5"]);
    let new = open(
        "new",
        2,
        &["\"n\": 1", "\"n\": 3", "\"n\": 5e-1", "\"n\": 4"],
    );
    let changes = new.diff(&old);
    drop((old, new));
    let received: Vec<_> = changes
        .iter()
        .map(|change| (change.kind(), change.key()))
        .collect();
    assert_eq!(
        received,
        [(ChangeKind::Updated, "b"), (ChangeKind::Created, "d")]
    );
    let number = |value: Option<Value<'_>>| value.and_then(|value| value.at("/n")?.as_i64());
    assert_eq!(number(changes[0].old_value()), Some(2));
    assert_eq!(number(changes[0].new_value()), Some(3));
    assert!(changes[1].old_value().is_none());
    let back = changes[0].old_snapshot().diff(changes[0].new_snapshot());
    assert_eq!((back[1].kind(), back[1].key()), (ChangeKind::Deleted, "d"));
    assert!(back[1].new_value().is_none());
}

#[test]
fn the_debug_text_of_a_snapshot_or_a_change_contains_no_value() {
    let (old, new) = (snapshot(&["\"n\": 1"]), snapshot(&["\"n\": \"secret\""]));
    assert!(!format!("{new:?}{:?}", new.diff(&old)).contains("secret"));
}

#[test]
fn clients_sources_snapshots_values_and_errors_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<remora::Client>();
    is_shared::<remora::Source>();
    is_shared::<remora::Settings>();
    is_shared::<Snapshot>();
    is_shared::<Value<'_>>();
    is_shared::<remora::Record<'_>>();
    is_shared::<remora::Change>();
    is_shared::<remora::Subscription>();
    is_shared::<remora::Request>();
    is_shared::<remora::Error>();
}
