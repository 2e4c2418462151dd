// SPDX-License-Identifier: Apache-2.0

//! Reads remote settings in an application that keeps its values for a whole session:
//!
//!     settings URL STORAGE_DIR
//!
//! Opens the settings with parameters that describe the user and the application. Prints the live
//! settings: those that the previous run fetched, or the defaults of this program. Reads a setting
//! of a tag, and waits for it at most two seconds. Then waits for the refresh that started at the
//! open, activates its result and prints it. Exits with 0 even if the server cannot be reached.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use remora::{Client, Settings};

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
    let client = Client::builder(storage)
        .application("settings", "1.0")
        .build()?;
    let builder = client.settings(url);
    let settings = builder.param("user", "u1").param("version", "2.0").open()?;
    print_settings(&settings)?;
    // A tag has its own dictionary, whose new versions are live at once. The read returns the fresh
    // value if it arrives in time, otherwise the previous value or the default.
    let editor = settings.tag("editor", None)?;
    let _ = editor.wait(EXPECTATION);
    let brush = editor.get_int("brush", None).unwrap_or(3);
    println!("editor brush={brush}");
    // Opening started a refresh. This call joins it, or sends a request if it has completed. The
    // first version ever is live at once. Later ones are staged, and become live at `activate`.
    if let Err(error) = settings.refresh(REFRESH) {
        eprintln!("{error}");
    }
    println!("activate {}", settings.activate(None)?);
    print_settings(&settings)
}

/// Prints each value. The default is used if the server does not send the value, or sends another
/// type.
fn print_settings(settings: &Settings) -> remora::Result<()> {
    let origin = settings.info()?.origin;
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
