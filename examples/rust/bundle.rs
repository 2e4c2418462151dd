// SPDX-License-Identifier: Apache-2.0

//! Uses a remote configuration as an application with a tracker does:
//!
//!     bundle URL STORAGE_DIR
//!
//! Opens it with a default bundle and a closure, which prints every state and every outcome; waits
//! for the first refresh; sets a user id of its own, refreshes once more, and shows that the user
//! id is still the own one while the rest is the server's. Exits with 0, also when the server
//! cannot be reached: then the default or the cache holds.

use std::env;
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

/// What setup and refresh call onSuccess with in the trackers, namespaces and state, and all that
/// they are silent about.
fn print_event(event: &Event<'_>) {
    let origin = match event.origin() {
        Origin::Default => "default",
        Origin::Cached => "cached",
        Origin::Fetched => "fetched",
        _ => "none",
    };
    let snapshot = event.new_snapshot();
    let namespaces: Vec<&str> = snapshot.iter().map(|(name, _)| name).collect();
    let mut line = format!(
        "{origin} version={} changes={} namespaces={}",
        event.version(),
        event.changes().len(),
        namespaces.join(",")
    );
    if event.cause() == Cause::Override {
        line += " by the application";
    }
    if event.outcome() == Some(Outcome::NotNewer) {
        line += " the server's version is not higher";
    }
    if let Some(error) = event.error() {
        line = line + " " + error.status_name();
    }
    println!("{line}");
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
