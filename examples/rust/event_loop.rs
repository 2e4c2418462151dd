// SPDX-License-Identifier: Apache-2.0

//! Watches a collection until it changes, in one thread, with poll(2):
//!
//!     event_loop SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]
//!
//! Arguments, lines and exit status are those of watch.rs. Here every closure runs inside of
//! `dispatch`: the loop waits for Remora's descriptor, and a real host's sockets would stand beside
//! it.

mod lines;

use std::env;
use std::io;
use std::os::raw::{c_int, c_short, c_ulong};
use std::os::unix::io::RawFd;
use std::process::ExitCode;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::time::{Duration, Instant};

use remora::{Callbacks, Cause, Client, Outcome, Source, Trust};

const DEADLINE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);

/// What the closures tell the loop; they run in its own thread.
enum Told {
    /// An event brought changes; the start's aside.
    Changed,
    /// A refresh has ended, behind its event.
    RefreshEnded,
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: c_short,
    revents: c_short,
}

const POLLIN: c_short = 1;

extern "C" {
    fn poll(fds: *mut PollFd, count: c_ulong, timeout_ms: c_int) -> c_int;
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    if arguments.len() != 5 && arguments.len() != 6 {
        let usage = "SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]";
        eprintln!("usage: {} {usage}", arguments[0]);
        return ExitCode::from(2);
    }
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The loop: true when an event after the first refresh brought changes before the deadline.
fn run(arguments: &[String]) -> Result<bool, Box<dyn std::error::Error>> {
    let (tell, told) = channel();
    let client = Client::builder(&arguments[4])
        .server(&arguments[1])
        .callbacks(Callbacks::OnDispatch)
        .build()?;
    let source = open(&client, arguments, tell.clone())?;
    let (fd, deadline) = (client.fd()?, Instant::now() + DEADLINE);
    let mut is_ready = false;
    let mut refresh_at = None;
    // Cancels nothing when replaced: by then its refresh has ended.
    let mut _request = refresh(&source, &tell)?;
    while Instant::now() < deadline {
        let wake_at = refresh_at.map_or(deadline, |at| deadline.min(at));
        if wait_for(fd, wake_at.saturating_duration_since(Instant::now()))? {
            client.dispatch()?;
        }
        for what in drain(&told) {
            match what {
                Told::Changed if is_ready => return Ok(true),
                Told::Changed => {}
                Told::RefreshEnded => {
                    if !is_ready {
                        println!("ready");
                    }
                    is_ready = true;
                    refresh_at = Some(Instant::now() + PAUSE);
                }
            }
        }
        if refresh_at.map_or(false, |at| at <= Instant::now()) {
            refresh_at = None;
            _request = refresh(&source, &tell)?;
        }
    }
    Ok(false)
}

/// Opens the collection, as the arguments say, with a first subscriber that prints and tells.
fn open(client: &Client, arguments: &[String], tell: Sender<Told>) -> remora::Result<Source> {
    let mut collection = client.collection(&arguments[3]);
    collection = match arguments[2].as_str() {
        "off" => collection.trust(Trust::Off),
        root => collection.root_sha256(root),
    };
    if let Some(packaged) = arguments.get(5) {
        collection = collection.packaged_file(packaged);
    }
    let mut refreshed_before = false;
    collection
        .on_event(move |event| {
            if event.cause() == Cause::Opened {
                return lines::print_state(event);
            }
            // After the first refresh, only what is news.
            if !refreshed_before || event.outcome() != Some(Outcome::Unchanged) {
                lines::print_event(event);
            }
            refreshed_before |= event.cause() == Cause::Refreshed;
            if event.changes().len() > 0 {
                // The loop may have ended; then nobody wants to know.
                let _ = tell.send(Told::Changed);
            }
        })
        .open()
}

fn refresh(source: &Source, tell: &Sender<Told>) -> remora::Result<remora::Request> {
    let tell = tell.clone();
    // A refresh that fails has told so by its event, and the next one may do better.
    source.refresh_async(move |_| drop(tell.send(Told::RefreshEnded)))
}

fn drain(told: &Receiver<Told>) -> Vec<Told> {
    told.try_iter().collect()
}

/// Whether the descriptor became readable in time; a signal counts as not.
fn wait_for(fd: RawFd, limit: Duration) -> io::Result<bool> {
    let mut wanted = PollFd {
        fd,
        events: POLLIN,
        revents: 0,
    };
    // Rounded up, so that nothing turns until its time has come.
    let limit = c_int::try_from(limit.as_millis() + 1).unwrap_or(c_int::MAX);
    // SAFETY: one descriptor is given, which lives during the call.
    match unsafe { poll(&mut wanted, 1, limit) } {
        -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Ok(false),
        -1 => Err(io::Error::last_os_error()),
        count => Ok(count > 0),
    }
}
