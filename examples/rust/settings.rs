// SPDX-License-Identifier: Apache-2.0

//! Reads remote settings as an application does, in which a session keeps its values:
//!
//!     settings URL STORAGE_DIR
//!
//! Opens them with what the server is to know of user and application, and prints what is live:
//! what the run before fetched, or else the defaults of this program. Asks for the settings of a
//! tag, for two seconds at most. Then waits for what opening began to fetch, makes it live, and
//! prints it. Exits with 0, also when the server cannot be reached.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use remora::{Client, Origin, Outcome, Settings, Wait};

const EXPECTATION: Duration = Duration::from_secs(2);
const REFRESH: Duration = Duration::from_secs(10);

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
    let builder = client.settings(url);
    let settings = builder.param("user", "u1").param("version", "2.0").open()?;
    print_settings(&settings)?;
    // A tag has a dictionary of its own, which is live at once: the fresh value if it comes in
    // time, else the one that was there before, else the default. At the end of the time nobody
    // waits for the answer any more.
    let editor = settings.tag("editor")?.wait(Wait::Refreshed, EXPECTATION);
    println!(
        "editor brush={}",
        editor.get_int("brush", None).unwrap_or(3)
    );
    // Opening began a refresh; this one shares it, or asks once more. What it brings is staged: it
    // would be live from the next run on, and for the rest of this one in any case after
    // `settings.stop_listening()`.
    if let Err(error) = settings.refresh(REFRESH) {
        eprintln!("{error}");
    }
    let is_new = settings.activate()? == Outcome::Updated;
    println!("activate {}", if is_new { "updated" } else { "unchanged" });
    print_settings(&settings)
}

/// Each value with what holds when the server does not say, or says something of another type.
fn print_settings(settings: &Settings) -> remora::Result<()> {
    let origin = match settings.info()?.origin {
        Origin::Nothing => "none",
        Origin::Cached => "cached",
        Origin::Fetched => "fetched",
        _ => "unknown",
    };
    let limit = settings.get_int("limit", None).unwrap_or(10);
    let dark = settings.get_bool("dark", None).unwrap_or(false);
    let ratio = settings.get_double("ratio", None).unwrap_or(1.0);
    let title = settings.get_string("title", None);
    let title = title.as_deref().unwrap_or("Welcome");
    let help = settings.get_url("help", None);
    let help = help.as_deref().unwrap_or("https://example.org/help");
    let dark = i32::from(dark);
    println!("settings origin={origin} limit={limit} dark={dark} ratio={ratio:.2} title={title} help={help}");
    Ok(())
}
