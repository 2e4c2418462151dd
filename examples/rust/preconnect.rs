// SPDX-License-Identifier: Apache-2.0

//! Connects to a server before anything is set up, and reads settings over that connection:
//!
//!     preconnect HELLO_URL SETTINGS_URL
//!
//! HELLO_URL is any URL of the settings' server. Between the two steps it waits for Enter; a host
//! would show its window, for example. Prints the library's log, which reports the result of the
//! connection, and the number of settings.

use std::env;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use remora::{Activation, Client, LogLevel};

const REFRESH: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    let (hello, url) = match arguments.as_slice() {
        [_, hello, url] => (hello, url),
        _ => {
            eprintln!("usage: {} HELLO_URL SETTINGS_URL", arguments[0]);
            return ExitCode::from(2);
        }
    };
    match run(hello, url) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(hello: &str, url: &str) -> remora::Result<()> {
    // Call this first. It does not block: name lookup, TCP and TLS run in the background. A failure
    // has no effect.
    remora::preconnect(hello, "example").begin()?;
    let client = Client::in_memory()
        .application("example", "1.0")
        .log(LogLevel::Debug, |_, line| println!("log: {line}"))
        .build()?;
    println!("press Enter");
    let _ = io::stdin().read_line(&mut String::new());
    // The request reuses the open connection.
    let builder = client.settings(url).activation(Activation::Immediate);
    let settings = builder.open()?;
    settings.refresh(REFRESH)?;
    println!("settings keys={}", settings.snapshot()?.len());
    Ok(())
}
