// SPDX-License-Identifier: Apache-2.0

//! Watches a collection until it changes:
//!
//!     watch SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]
//!
//! ROOT_SHA256 may be "off", for a server that does not sign. Prints the state at the start
//! ("state" and "key" lines), refreshes, prints what came of it ("event" and "change" lines) and
//! then "ready". Goes on refreshing until one more event brings changes, prints that and exits with
//! 0; with 1 when none came within 60 seconds.

mod lines;

use std::env;
use std::process::ExitCode;
use std::sync::mpsc::{channel, Receiver};
use std::time::{Duration, Instant};

use remora::{Cause, Client, Event, Outcome, Source, Trust};

const DEADLINE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);
const REFRESH: Duration = Duration::from_secs(30);

/// What the closure tells main of an event.
enum Told {
    Opened,
    Refreshed { with_changes: bool },
    Other { with_changes: bool },
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    if arguments.len() != 5 && arguments.len() != 6 {
        let usage = "SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]";
        eprintln!("usage: {} {usage}", arguments[0]);
        return ExitCode::from(2);
    }
    match open(&arguments) {
        Ok((source, told)) if watch(&source, &told) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Opens the collection, as the arguments say, with a first subscriber that prints and tells.
fn open(arguments: &[String]) -> remora::Result<(Source, Receiver<Told>)> {
    let client = Client::builder(&arguments[4])
        .server(&arguments[1])
        .build()?;
    let mut collection = client.collection(&arguments[3]);
    collection = match arguments[2].as_str() {
        "off" => collection.trust(Trust::Off),
        root => collection.root_sha256(root),
    };
    if let Some(packaged) = arguments.get(5) {
        collection = collection.packaged_file(packaged);
    }
    let (tell, told) = channel();
    let mut refreshed_before = false;
    let source = collection.on_event(move |event| {
        let what = print(event, refreshed_before);
        refreshed_before |= matches!(what, Told::Refreshed { .. });
        // Main may have gone; then nobody wants to know.
        let _ = tell.send(what);
    });
    Ok((source.open()?, told))
}

/// Prints an event; after the first refresh only what is news.
fn print(event: &Event<'_>, refreshed_before: bool) -> Told {
    if event.cause() == Cause::Opened {
        lines::print_state(event);
        return Told::Opened;
    }
    if !refreshed_before || event.outcome() != Some(Outcome::Unchanged) {
        lines::print_event(event);
    }
    let with_changes = event.changes().len() > 0;
    match event.cause() {
        Cause::Refreshed => Told::Refreshed { with_changes },
        _ => Told::Other { with_changes },
    }
}

/// Refreshes until an event brings changes; false when the deadline comes first. A refresh that
/// fails has told so by its event, and the next one may do better.
fn watch(source: &Source, told: &Receiver<Told>) -> bool {
    let deadline = Instant::now() + DEADLINE;
    let left = || deadline.saturating_duration_since(Instant::now());
    if told.recv_timeout(left()).is_err() {
        return false;
    }
    let _ = source.refresh(REFRESH);
    loop {
        match told.recv_timeout(left()) {
            Ok(Told::Refreshed { .. }) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    println!("ready");
    while !left().is_zero() {
        match told.recv_timeout(PAUSE) {
            Ok(Told::Refreshed { with_changes: true } | Told::Other { with_changes: true }) => {
                return true;
            }
            Ok(_) => {}
            Err(_) => drop(source.refresh(REFRESH)),
        }
    }
    false
}
