// SPDX-License-Identifier: Apache-2.0

//! Prints an event, one line per item. Standard output flushes each line at once, so that a script
//! can follow it.

use remora::{Cause, ChangeKind, Event, Origin, Outcome};

/// Prints a "state" line, and a "key" line for each value.
pub fn print_state(event: &Event<'_>) {
    let snapshot = event.new_snapshot();
    let origin = origin_name(event.origin());
    println!(
        "state origin={origin} version={} keys={}",
        event.version(),
        snapshot.len()
    );
    for (key, value) in &snapshot {
        println!("key {key} {value}");
    }
}

/// Prints an "event" line, its errors, and a "change" line for each key.
pub fn print_event(event: &Event<'_>) {
    println!(
        "event cause={} outcome={} origin={} version={} changes={}",
        cause_name(event.cause()),
        event.outcome().map_or("none", outcome_name),
        origin_name(event.origin()),
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
        let kind = kind_name(change.kind());
        match change.new_value() {
            Some(value) => println!("change {kind} {} {value}", change.key()),
            None => println!("change {kind} {}", change.key()),
        }
    }
}

fn origin_name(origin: Origin) -> &'static str {
    match origin {
        Origin::Nothing => "none",
        Origin::Packaged => "packaged",
        Origin::Cached => "cached",
        Origin::Fetched => "fetched",
        _ => "unknown",
    }
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Updated => "updated",
        Outcome::Unchanged => "unchanged",
        Outcome::NotNewer => "not_newer",
        Outcome::Staged => "staged",
        Outcome::Refused => "refused",
        Outcome::Failed => "failed",
        _ => "unknown",
    }
}

fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Opened => "opened",
        Cause::Refreshed => "refreshed",
        Cause::Adopted => "adopted",
        Cause::Reset => "reset",
        _ => "unknown",
    }
}

fn kind_name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Created => "created",
        ChangeKind::Updated => "updated",
        ChangeKind::Deleted => "deleted",
        _ => "unknown",
    }
}
