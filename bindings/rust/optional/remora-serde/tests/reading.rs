// SPDX-License-Identifier: Apache-2.0

//! Types that are read from values of a source.

use std::collections::BTreeMap;

use remora::{Client, ErrorKind, Settings};
use remora_serde::{from_value, SnapshotExt, SourceExt};
use serde::Deserialize;

/// Settings with this document, without a server.
fn settings(json: &str) -> Settings {
    let client = Client::in_memory().build().unwrap();
    let builder = client.settings(None).fetch_at_open(false);
    builder.packaged_data(json).open().unwrap()
}

fn read<T: serde::de::DeserializeOwned>(json: &str) -> remora_serde::Result<T> {
    let snapshot = settings(&format!("{{\"key\": {json}}}"))
        .snapshot()
        .unwrap();
    snapshot.get_as("key", None)
}

/// The text of the failure.
fn failure<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
    let error = read::<T>(json).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
    error.to_string()
}

#[derive(Debug, Deserialize, PartialEq)]
struct Server {
    host: String,
    port: u16,
    weight: f64,
    proxy: Option<String>,
    note: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    limits: BTreeMap<String, i64>,
    place: (i8, f32),
}

const SERVER: &str = r#"{
    "host": "é\u0000!", "port": 443, "weight": 1, "proxy": null, "unknown": [{}], "tags": ["a", "b"],
    "limits": {"day": -9223372036854775808, "hour": 2.0}, "place": [-128, 0.5]
}"#;

#[test]
fn a_rust_structure_is_read_from_a_json_object_with_all_of_its_fields() {
    let expected = Server {
        host: "é\0!".to_string(),
        port: 443,
        weight: 1.0,
        proxy: None,
        note: None,
        tags: vec!["a".to_string(), "b".to_string()],
        limits: [("day".to_string(), i64::MIN), ("hour".to_string(), 2)].into(),
        place: (-128, 0.5),
    };
    assert_eq!(read::<Server>(SERVER).unwrap(), expected);
}

#[test]
fn strings_and_member_names_can_be_borrowed_from_the_snapshot() {
    let snapshot = settings(r#"{"key": {"name": "text"}}"#).snapshot().unwrap();
    let names: BTreeMap<&str, &str> = snapshot.get_as("key", None).unwrap();
    assert_eq!(names, [("name", "text")].into());
    let text: &str = from_value(snapshot.get_value("key", "/name").unwrap()).unwrap();
    assert_eq!(text, "text");
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Point,
    Circle(f64),
    Line(i32, i32),
    Square { side: u8 },
}

#[test]
fn a_rust_enum_is_read_from_a_string_or_from_a_json_object_with_one_member() {
    let json =
        r#"["point", {"point": null}, {"circle": 1.5}, {"line": [1, 2]}, {"square": {"side": 3}}]"#;
    let expected = [
        Shape::Point,
        Shape::Point,
        Shape::Circle(1.5),
        Shape::Line(1, 2),
        Shape::Square { side: 3 },
    ];
    assert_eq!(read::<Vec<Shape>>(json).unwrap(), expected);
    for json in ["1", "{}", r#"{"point": null, "circle": 1.5}"#] {
        let text = failure::<Shape>(json);
        assert_eq!(
            text,
            "key: expected the name of a variant, or an object with one member"
        );
    }
    assert_eq!(
        failure::<Shape>(r#""secret""#),
        r#"key: unknown variant, expected one of ["point", "circle", "line", "square"]"#
    );
    assert_eq!(
        failure::<Shape>(r#"{"line": [1, "x"]}"#),
        "key/line/1: invalid type: string, expected i32"
    );
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "kind")]
enum Tagged {
    Text { text: String },
    Number { number: f64 },
}

#[test]
fn tagged_enums_and_flattened_structures_can_be_read() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Outer {
        id: u32,
        #[serde(flatten)]
        inner: Tagged,
    }
    let json =
        r#"[{"id": 1, "kind": "Text", "text": "a"}, {"id": 2, "kind": "Number", "number": 3}]"#;
    let text = Tagged::Text {
        text: "a".to_string(),
    };
    let expected = [
        Outer { id: 1, inner: text },
        Outer {
            id: 2,
            inner: Tagged::Number { number: 3.0 },
        },
    ];
    assert_eq!(read::<Vec<Outer>>(json).unwrap(), expected);
}

#[test]
fn a_json_number_is_read_only_if_it_converts_exactly_to_the_rust_type() {
    assert_eq!(read::<u64>("9223372036854775807").unwrap(), i64::MAX as u64);
    assert_eq!(read::<i128>("-1").unwrap(), -1);
    assert_eq!(read::<u8>("255.0").unwrap(), 255);
    assert_eq!(read::<f64>("9007199254740992").unwrap(), 9007199254740992.0);
    assert_eq!(
        failure::<u8>("256"),
        "key: invalid value: integer, expected u8"
    );
    assert_eq!(
        failure::<u8>("-1"),
        "key: invalid value: integer, expected u8"
    );
    assert_eq!(
        failure::<i64>("1.5"),
        "key: invalid type: floating point number, expected i64"
    );
    assert_eq!(
        failure::<f64>("9007199254740993"),
        "key: invalid value: integer, expected a number that is exactly a double"
    );
}

#[test]
fn an_error_about_a_value_has_its_key_and_json_pointer_but_not_the_value() {
    let snapshot = settings(r#"{"a": {"b/c": [{"d~": "secret"}]}}"#)
        .snapshot()
        .unwrap();
    type Nested = BTreeMap<String, Vec<BTreeMap<String, bool>>>;
    let error = snapshot.get_as::<Nested>("a", None).unwrap_err();
    assert_eq!(error.place(), "a/b~1c/0/d~0");
    assert_eq!(error.message(), "invalid type: string, expected a boolean");
    let error = snapshot
        .get_as::<Vec<BTreeMap<String, bool>>>("a", "/b~1c")
        .unwrap_err();
    assert_eq!(error.place(), "a/b~1c/0/d~0");
    assert_eq!(
        failure::<(i8, i8)>("[1, 2, 3]"),
        "key: invalid length 3, expected an array of 2 elements"
    );
    assert_eq!(
        failure::<(i8, i8)>("[1]"),
        "key: invalid length 1, expected a tuple of size 2"
    );
    let text = failure::<Server>(r#"{"host": "secret"}"#);
    assert!(
        text.starts_with("key: missing field") && !text.contains("secret"),
        "{text}"
    );
}

#[test]
fn a_read_of_a_missing_value_returns_none_from_a_source_and_not_found_from_a_snapshot() {
    let source = settings(r#"{"null": null, "n": 1}"#);
    let snapshot = source.snapshot().unwrap();
    for (key, pointer) in [("none", None), ("n", Some("/x")), ("null", None)] {
        assert_eq!(source.get_as::<Option<i32>>(key, pointer), None);
        let error = snapshot.get_as::<Option<i32>>(key, pointer).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.place(), "");
    }
    assert_eq!(source.get_as::<String>("n", None), None);
    assert_eq!(source.get_as::<i32>("n", None), Some(1));
    let error = snapshot.get_as::<i32>("n", "x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}
