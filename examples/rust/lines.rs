// SPDX-License-Identifier: Apache-2.0

//! Prints an event, one line per item. Standard output flushes each line at once, so that a script
//! can follow it.

use remora::{Event, Value};

/// Prints a "state" line, and a "key" line for each value.
pub fn print_state(event: &Event<'_>) {
    let snapshot = event.new_snapshot();
    let (origin, version, keys) = (event.origin(), event.version(), snapshot.len());
    println!("state origin={origin} version={version} keys={keys}");
    for (key, value) in &snapshot {
        println!("key {key} {}", json_of(value));
    }
}

/// Prints an "event" line, its errors, and a "change" line for each key.
pub fn print_event(event: &Event<'_>) {
    let outcome = event.outcome().map(|outcome| outcome.to_string());
    println!(
        "event cause={} outcome={} origin={} version={} changes={}",
        event.cause(),
        outcome.as_deref().unwrap_or("none"),
        event.origin(),
        event.version(),
        event.changes().len()
    );
    if let Some(error) = event.error() {
        println!("error {} {error}", error.status_name());
    }
    if let Some(error) = event.storage_error() {
        println!("storage {error}");
    }
    for change in event.changes() {
        let kind = change.kind();
        match change.new_value() {
            Some(value) => println!("change {kind} {} {}", change.key(), json_of(value)),
            None => println!("change {kind} {}", change.key()),
        }
    }
}

/// Returns the value as JSON, or the reason if its stored file was damaged.
fn json_of(value: Value<'_>) -> String {
    value.to_json().unwrap_or_else(|error| error.to_string())
}
