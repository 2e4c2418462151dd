// SPDX-License-Identifier: Apache-2.0

//! Connects to a server before anything is set up, and reads settings over that connection:
//!
//!     preconnect HELLO_URL SETTINGS_URL
//!
//! HELLO_URL is any URL of the settings' server. Waits for Enter in between, where a host would do
//! something else: show its window, say. Prints the library's log, which tells what came of the
//! connection, and how many settings there are.

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
    // First of all, and it waits for nothing: name lookup, TCP and TLS happen meanwhile. A failure
    // costs nothing.
    remora::preconnect(hello, "example").begin()?;
    let client = Client::in_memory()
        .application("example", "1.0")
        .log(LogLevel::Debug, |_, line| println!("log: {line}"))
        .build()?;
    println!("press Enter");
    let _ = io::stdin().read_line(&mut String::new());
    // The request takes the connection that is there.
    let builder = client.settings(url).activation(Activation::Immediate);
    let settings = builder.open()?;
    settings.refresh(REFRESH)?;
    println!("settings keys={}", settings.snapshot()?.len());
    Ok(())
}
