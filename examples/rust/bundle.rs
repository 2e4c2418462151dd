// SPDX-License-Identifier: Apache-2.0

//! Uses a remote configuration as an application with a tracker does:
//!
//!     bundle URL STORAGE_DIR
//!
//! Opens it with a default bundle and a closure, which prints "success" with state and namespaces
//! where a tracker calls onSuccess, and "event" for all that a tracker is silent about; waits for the
//! first refresh; sets a user id of its own, refreshes once more, and shows that the user id is still
//! the own one while the rest is the server's. Exits with 0, also when the server cannot be reached:
//! then the default or the cache holds.

use std::env;
use std::fmt::Debug;
use std::process::ExitCode;
use std::time::Duration;

use remora::{Cause, Client, Event, Origin, Outcome, Source};

const REFRESH: Duration = Duration::from_secs(10);

const DEFAULT: &str = r#"[{"namespace": "app",
    "networkConfiguration": {"endpoint": "https://collector.example", "method": "post"},
    "trackerConfiguration": {"appId": "example", "sessionContext": true},
    "subjectConfiguration": {"userId": "nobody"}}]"#;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    let (url, storage) = match arguments.as_slice() {
        [_, url, storage] => (url, storage),
        _ => {
            eprintln!("usage: {} URL STORAGE_DIR", arguments[0]);
            return ExitCode::from(2);
        }
    };
    match run(url, storage) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(url: &str, storage: &str) -> remora::Result<()> {
    let client = Client::builder(storage).build()?;
    let builder = client.bundle(url).default_bundle(DEFAULT);
    let source = builder.default_version(1).on_event(print_event).open()?;
    refresh(&source); // Opening began one; this one shares it, or asks once more.
    for one in source.namespaces(None)? {
        let default = if one.is_default { " (default)" } else { "" };
        let carried = if one.in_bundle {
            ""
        } else {
            " (not in this bundle)"
        };
        println!("namespace {}{default}{carried}", one.name);
    }
    print_app(&source);
    // As a controller of a tracker does at run time: it wins over every bundle, and creates no
    // namespace that is removed.
    let user = "/subjectConfiguration/userId";
    if let Err(error) = source.set_override_if_exists("app", user, r#""me""#) {
        eprintln!("{error}");
    }
    refresh(&source);
    print_app(&source);
    Ok(())
}

/// Whether a tracker calls onSuccess: the default or cached bundle at the start, and every newer
/// bundle.
fn is_success(event: &Event<'_>) -> bool {
    event.origin() != Origin::Nothing
        && match event.cause() {
            Cause::Opened => true,
            Cause::Refreshed => event.outcome() == Some(Outcome::Updated),
            Cause::Adopted => event.outcome().is_none(), // Another process fetched it.
            _ => false,
        }
}

/// Prints what a tracker calls onSuccess with, state and namespaces; and what it is silent about.
fn print_event(event: &Event<'_>) {
    if is_success(event) {
        // The others were carried over, or made by an override.
        let namespaces = match event.namespaces() {
            Ok(namespaces) => namespaces.into_iter(),
            Err(_) => return, // The program ends.
        };
        let names: Vec<String> = namespaces
            .filter_map(|one| one.in_bundle.then_some(one.name))
            .collect();
        let (state, version) = (name_of(event.origin()), event.version());
        let names = names.join(",");
        println!("success state={state} namespaces={names} version={version}");
    } else {
        let outcome = event.outcome().map_or("none".into(), name_of);
        let error = event
            .error()
            .map(|error| format!(" error={}", error.status_name()));
        let (cause, error) = (name_of(event.cause()), error.unwrap_or_default());
        println!("event cause={cause} outcome={outcome}{error}");
    }
}

/// The name of a variant as the other examples print it, such as "not_newer".
fn name_of(variant: impl Debug) -> String {
    let mut name = String::new();
    for letter in format!("{variant:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Asks the server; without one, says so and goes on.
fn refresh(source: &Source) {
    if let Err(error) = source.refresh(REFRESH) {
        eprintln!("{error}");
    }
}

/// A few values, each with what the application would do without.
fn print_app(source: &Source) {
    let text = |pointer: &str| {
        source
            .get_string("app", pointer)
            .unwrap_or_else(|| "none".into())
    };
    let session = source.get_bool("app", "/trackerConfiguration/sessionContext");
    println!(
        "app endpoint={} user={} session={}",
        text("/networkConfiguration/endpoint"),
        text("/subjectConfiguration/userId"),
        i32::from(session.unwrap_or(true))
    );
}
