// SPDX-License-Identifier: Apache-2.0

//! Reads a published tree in Rust; see Tests/Stories/published.py for the commands and answers.

use std::io::BufRead;
use std::time::Duration;

use remora::{Client, Source};

const LIMIT: Duration = Duration::from_secs(30);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut builder = Client::builder(&arguments[3]).server(&arguments[0]);
    if !arguments[2].is_empty() {
        builder = builder.ca_file(&arguments[2]);
    }
    let client = builder.build()?;
    client.set_context(r#"{"app_version": "2.0"}"#)?;
    let open = |name| client.collection(name).root_sha256(&arguments[1]).open();
    let (limits, files) = (open("limits")?, open("files")?);
    for command in std::io::stdin().lock().lines() {
        match answer(&command?, &client, &limits, &files) {
            Ok(text) => println!("{text}"),
            Err(error) => println!(r#"{{"error": "{}"}}"#, error.status_name()),
        }
    }
    Ok(())
}

/// Executes a command, and returns the answer.
fn answer(
    command: &str,
    client: &Client,
    limits: &Source,
    files: &Source,
) -> remora::Result<String> {
    Ok(match command {
        "refresh" => {
            limits.refresh(LIMIT)?;
            let (snapshot, others) = (limits.snapshot()?, files.snapshot()?);
            format!(
                r#"{{"per_day": {}, "limits": {}, "files": {}, "verified": {}}}"#,
                snapshot.get_int("uploads", "/per_day").unwrap_or(-1),
                snapshot.len(),
                others.len(),
                snapshot.info().verified
            )
        }
        "sync" => {
            let report = client.sync(LIMIT)?;
            format!(
                r#"{{"updated": {}, "unchanged": {}, "failed": {}}}"#,
                report.updated, report.unchanged, report.failed
            )
        }
        _ => {
            let attachment = files.attachment_of("logo").timeout(LIMIT).open()?;
            format!(
                r#"{{"content": "{}"}}"#,
                String::from_utf8_lossy(&attachment)
            )
        }
    })
}
