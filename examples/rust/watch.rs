// SPDX-License-Identifier: Apache-2.0

//! Watches a collection until it changes:
//!
//!     watch SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]
//!
//! ROOT_SHA256 may be "off", for a server that does not sign. Prints the state at the start
//! ("state" and "key" lines), refreshes, prints the result ("event" and "change" lines) and then
//! "ready". Refreshes repeatedly until another event has changes, prints it and exits with 0. Exits
//! with 1 if no such event arrives within 60 seconds.

mod lines;

use std::env;
use std::process::ExitCode;
use std::sync::mpsc::{channel, Receiver};
use std::time::{Duration, Instant};

use remora::{Cause, Client, Event, Outcome, Source, Trust};

const DEADLINE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);
const REFRESH: Duration = Duration::from_secs(30);

/// A message from the closure to main about an event.
enum Message {
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
        Ok((source, messages)) if watch(&source, &messages) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Opens the collection that the arguments describe. The first subscriber prints each event and
/// notifies main.
fn open(arguments: &[String]) -> remora::Result<(Source, Receiver<Message>)> {
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
    let (sender, messages) = channel();
    let mut refreshed_before = false;
    let source = collection.on_event(move |event| {
        let message = print(event, refreshed_before);
        refreshed_before |= matches!(message, Message::Refreshed { .. });
        // Fails only if main has returned, when no receiver exists.
        let _ = sender.send(message);
    });
    Ok((source.open()?, messages))
}

/// Prints an event. After the first refresh, it does not print unchanged results.
fn print(event: &Event<'_>, refreshed_before: bool) -> Message {
    if event.cause() == Cause::Opened {
        lines::print_state(event);
        return Message::Opened;
    }
    if !refreshed_before || event.outcome() != Some(Outcome::Unchanged) {
        lines::print_event(event);
    }
    let with_changes = event.changes().len() > 0;
    match event.cause() {
        Cause::Refreshed => Message::Refreshed { with_changes },
        _ => Message::Other { with_changes },
    }
}

/// Refreshes until an event has changes. Returns false if the deadline passes first. The event of a
/// failed refresh has its error, and the next refresh may succeed.
fn watch(source: &Source, messages: &Receiver<Message>) -> bool {
    let deadline = Instant::now() + DEADLINE;
    let left = || deadline.saturating_duration_since(Instant::now());
    if messages.recv_timeout(left()).is_err() {
        return false;
    }
    let _ = source.refresh(REFRESH);
    loop {
        match messages.recv_timeout(left()) {
            Ok(Message::Refreshed { .. }) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    println!("ready");
    while !left().is_zero() {
        match messages.recv_timeout(PAUSE) {
            Ok(
                Message::Refreshed { with_changes: true } | Message::Other { with_changes: true },
            ) => {
                return true;
            }
            Ok(_) => {}
            Err(_) => drop(source.refresh(REFRESH)),
        }
    }
    false
}
