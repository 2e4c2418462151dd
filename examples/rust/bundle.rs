// SPDX-License-Identifier: Apache-2.0

//! Uses a remote configuration in an application with a tracker:
//!
//!     bundle URL STORAGE_DIR
//!
//! Opens a bundle with a default and a closure. The closure prints "success" with state and
//! namespaces where a tracker calls onSuccess, and "event" for every other event. Then the program
//! waits for the first refresh, overrides the user id and refreshes again. The printed user id is
//! still the override; the other values are the server's. Exits with 0 even if the server cannot be
//! reached: the default or the cached bundle is used then.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use remora::{Client, Event, Source};

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
    refresh(&source); // Joins the refresh that opening started, or sends a request.
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
    // Like a tracker's controller at run time. It overrides every bundle; a removed namespace does
    // not reappear.
    let user = "/subjectConfiguration/userId";
    if let Err(error) = source.set_override_if_exists("app", user, "me") {
        eprintln!("{error}");
    }
    refresh(&source);
    print_app(&source);
    Ok(())
}

/// Prints the state and namespaces with which a tracker calls onSuccess, and every other event.
fn print_event(event: &Event<'_>) {
    if let Some(configuration) = event.configuration() {
        let (state, names) = (configuration.state, configuration.namespaces.join(","));
        let version = event.version();
        println!("success state={state} namespaces={names} version={version}");
    } else {
        let outcome = event.outcome().map(|outcome| outcome.to_string());
        let outcome = outcome.as_deref().unwrap_or("none");
        let error = event.error();
        let error = error.map(|error| format!(" error={}", error.status_name()));
        let (cause, error) = (event.cause(), error.unwrap_or_default());
        println!("event cause={cause} outcome={outcome}{error}");
    }
}

/// Refreshes. Prints an error and continues.
fn refresh(source: &Source) {
    if let Err(error) = source.refresh(REFRESH) {
        eprintln!("{error}");
    }
}

/// Prints a few values, each with a default.
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
