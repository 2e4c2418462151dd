// SPDX-License-Identifier: Apache-2.0

//! Syncs collections with their server until a signal stops it:
//!
//!     periodic_sync [-i SECONDS] [-r SECONDS] SERVER_URL ROOT_SHA256|off STORAGE_DIR COLLECTION...
//!
//! ROOT_SHA256 may be "off", for a server that does not sign. The first sync starts at once. The
//! next one starts -r seconds after a network error (default: 300), after the delay that the server
//! requested, or else after -i seconds (default: 86400). Prints a line for each source that was
//! updated or failed, and one for each sync. SIGINT and SIGTERM stop it with exit status 0.
//!
//! A host that only needs fresh settings uses `refresh_interval` instead.

mod signals;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use remora::{Client, Error, ErrorKind, Outcome, Source, SyncReport, Trust};
use signals::Ends;

const SYNC_LIMIT: Duration = Duration::from_secs(120);

/// The pauses after a sync.
struct Pauses {
    usual: Duration,
    retry: Duration,
}

fn main() -> ExitCode {
    let mut arguments = env::args();
    let program = arguments.next().unwrap_or_default();
    let (pauses, arguments) = match parse(arguments) {
        Some(parsed) => parsed,
        None => {
            let usage =
                "[-i SECONDS] [-r SECONDS] SERVER_URL ROOT_SHA256|off STORAGE_DIR COLLECTION...";
            eprintln!("usage: {program} {usage}");
            return ExitCode::from(2);
        }
    };
    let ends = Ends::block();
    match open(&arguments) {
        Ok((client, _sources)) => {
            run(&client, &ends, &pauses);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the options and the arguments that follow them.
fn parse(arguments: impl Iterator<Item = String>) -> Option<(Pauses, Vec<String>)> {
    let mut pauses = Pauses {
        usual: Duration::from_secs(86400),
        retry: Duration::from_secs(300),
    };
    let mut arguments = arguments.peekable();
    while let Some(option) = arguments.next_if(|argument| argument.starts_with('-')) {
        let pause = match option.as_str() {
            "-i" => &mut pauses.usual,
            "-r" => &mut pauses.retry,
            _ => return None,
        };
        let seconds: f64 = arguments.next()?.parse().ok()?;
        *pause = (seconds > 0.0 && seconds < 1e9).then(|| Duration::from_secs_f64(seconds))?;
    }
    let rest: Vec<String> = arguments.collect();
    (rest.len() >= 4).then_some((pauses, rest))
}

/// Opens the collections that the arguments describe. A source is synced as long as it is open.
fn open(arguments: &[String]) -> remora::Result<(Client, Vec<Source>)> {
    let client = Client::builder(&arguments[2])
        .server(&arguments[0])
        .build()?;
    let open = |name: &String| {
        let collection = client.collection(name);
        match arguments[1].as_str() {
            "off" => collection.trust(Trust::Off),
            root => collection.root_sha256(root),
        }
        .open()
    };
    let sources = arguments[3..].iter().map(open).collect::<Result<_, _>>()?;
    Ok((client, sources))
}

/// Syncs until a signal arrives.
fn run(client: &Client, ends: &Ends, pauses: &Pauses) {
    loop {
        let pause = match client.sync(SYNC_LIMIT) {
            Ok(report) => {
                print(&report);
                pauses.after(report.error())
            }
            Err(error) => {
                eprintln!("{error}");
                pauses.after(Some(&error))
            }
        };
        println!("next in {:.1} s", pause.as_secs_f64());
        if ends.arrive_within(pause) {
            return;
        }
    }
}

fn print(report: &SyncReport) {
    for item in &report.items {
        let name = &item.source_name;
        match &item.result {
            Ok(Outcome::Updated) => println!("updated {name}"),
            Ok(_) => {}
            Err(error) => println!("failed {name} {}: {error}", error.status_name()),
        }
    }
    println!(
        "sync total={} updated={} unchanged={} failed={} status={}",
        report.total,
        report.updated,
        report.unchanged,
        report.failed,
        report.error().map_or("REMORA_OK", Error::status_name)
    );
}

impl Pauses {
    fn after(&self, error: Option<&Error>) -> Duration {
        match error.map(Error::kind) {
            // Wait as long as the server requested. Without a delay, treat it like a network error.
            Some(ErrorKind::Backoff | ErrorKind::Http) => {
                error.and_then(Error::retry_after).unwrap_or(self.retry)
            }
            Some(ErrorKind::Network | ErrorKind::Tls | ErrorKind::Timeout) => self.retry,
            // Success, or an error that an early retry does not fix.
            _ => self.usual,
        }
    }
}
