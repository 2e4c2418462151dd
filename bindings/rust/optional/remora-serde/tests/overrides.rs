// SPDX-License-Identifier: Apache-2.0

//! Overrides that are set from types.

use remora::{Client, ErrorKind, Settings};
use remora_serde::SourceExt;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Window {
    title: String,
    size: (u32, u32),
    scale: f64,
    parent: Option<String>,
}

fn source() -> Settings {
    let client = Client::in_memory().build().unwrap();
    client.settings(None).fetch_at_open(false).open().unwrap()
}

#[test]
fn an_override_can_be_set_from_a_rust_type_and_read_as_the_same_type() {
    let (source, window) = (source(), || Window {
        title: "é\"\0".to_string(),
        size: (640, 480),
        scale: 0.1,
        parent: None,
    });
    source.set_override_as("window", None, &window()).unwrap();
    assert_eq!(source.get_as("window", None), Some(window()));
    source.set_override_as("window", "/title", "Menu").unwrap();
    assert_eq!(
        source.get_string("window", "/title").as_deref(),
        Some("Menu")
    );
    source
        .set_override_as("window", "/scale", &f64::NAN)
        .unwrap();
    assert_eq!(source.get_json("window", "/scale"), None);
}

#[test]
fn an_override_with_a_value_that_json_cannot_represent_is_refused() {
    let source = source();
    let keyed_by_arrays: std::collections::BTreeMap<[i32; 1], i32> = [([1], 1)].into();
    let error = source
        .set_override_as("key", None, &keyed_by_arrays)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error
            .message()
            .starts_with("the value cannot be written as JSON"),
        "{error}"
    );
    let error = source.set_override_as("key", None, &u64::MAX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let error = source.set_override_as("", None, &1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(source.overrides().unwrap().is_empty());
}
