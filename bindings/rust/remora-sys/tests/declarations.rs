// SPDX-License-Identifier: Apache-2.0

//! What this crate declares is what remora.h declares.

mod support;

use std::fs;

use support::{header, header_text, package, source, source_text, Declarations};

/// One sentence per name that is missing, superfluous or of another type.
fn differences(wanted: &Declarations, found: &Declarations) -> Vec<String> {
    let missing_or_other = wanted
        .iter()
        .filter_map(|(name, kind)| match found.get(name) {
            None => Some(format!("{name} is missing")),
            Some(other) if other != kind => Some(format!("{name} is {other} instead of {kind}")),
            Some(_) => None,
        });
    let superfluous = found.keys().filter(|name| !wanted.contains_key(*name));
    missing_or_other
        .chain(superfluous.map(|name| format!("{name} is superfluous")))
        .collect()
}

#[test]
fn everything_the_header_declares_is_declared_with_the_same_types() {
    let (wanted, found) = (
        header::declarations(&header_text()),
        source::declarations(&source_text()),
    );
    assert_eq!(differences(&wanted, &found), Vec::<String>::new());
}

#[test]
fn every_exported_function_is_declared() {
    let exported = fs::read_to_string(package().join("../../../abi/symbols.txt")).unwrap();
    let declared: Vec<String> = source::declarations(&source_text())
        .into_iter()
        .filter(|(_, kind)| kind.starts_with("fn("))
        .map(|(name, _)| name)
        .collect();
    let mut exported: Vec<&str> = exported.lines().collect();
    exported.sort_unstable();
    assert_eq!(declared, exported);
}

/// What is told when one text in our source is replaced by another.
fn told_after(text: &str, replacement: &str) -> Vec<String> {
    let source = source_text();
    assert!(source.contains(text), "{text}");
    let changed = source.replacen(text, replacement, 1);
    differences(
        &header::declarations(&header_text()),
        &source::declarations(&changed),
    )
}

#[test]
fn a_function_that_is_missing_or_superfluous_is_named() {
    let told = told_after("pub fn remora_close(", "pub fn remora_shut(");
    assert_eq!(
        told,
        ["remora_close is missing", "remora_shut is superfluous"]
    );
}

#[test]
fn a_function_of_another_type_is_named() {
    let close = "pub fn remora_close(client: *mut remora_client);";
    for other in [
        "pub fn remora_close(client: *const remora_client);",
        "pub fn remora_close(client: *mut remora_client) -> i32;",
        "pub fn remora_close(client: *mut remora_client, flags: u32);",
        "pub fn remora_close();",
    ] {
        let told = told_after(close, other);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("remora_close is fn("), "{told:?}");
    }
}

#[test]
fn a_member_or_a_callback_of_another_type_is_named() {
    let told = told_after("pub log_level: i32,", "pub log_level: u32,");
    assert!(
        told.len() == 1 && told[0].starts_with("remora_config is"),
        "{told:?}"
    );
    let told = told_after("fn(level: i32,", "fn(level: i64,");
    assert!(
        told.len() == 1 && told[0].starts_with("remora_log_callback is"),
        "{told:?}"
    );
}
