// SPDX-License-Identifier: Apache-2.0

//! Watches a collection until it changes, in one thread, with poll(2):
//!
//!     event_loop SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]
//!
//! Arguments, output and exit status are those of watch.rs. Every closure runs inside `dispatch`.
//! The loop waits for Remora's descriptor; a real host adds its sockets to the same loop.

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

/// A message from a closure to the loop. The closures run on the loop's thread.
enum Message {
    /// An event after the start had changes.
    Changed,
    /// A refresh has completed, and its event was delivered.
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

/// Runs the loop. Returns true if an event after the first refresh had changes before the deadline.
fn run(arguments: &[String]) -> Result<bool, Box<dyn std::error::Error>> {
    let (sender, messages) = channel();
    let client = Client::builder(&arguments[4])
        .server(&arguments[1])
        .callbacks(Callbacks::OnDispatch)
        .build()?;
    let source = open(&client, arguments, sender.clone())?;
    let (fd, deadline) = (client.fd()?, Instant::now() + DEADLINE);
    let mut is_ready = false;
    let mut refresh_at = None;
    // Replaced only after its refresh has completed, so that dropping it cancels nothing.
    let mut _request = refresh(&source, &sender)?;
    while Instant::now() < deadline {
        let wake_at = refresh_at.map_or(deadline, |at| deadline.min(at));
        if wait_for(fd, wake_at.saturating_duration_since(Instant::now()))? {
            client.dispatch()?;
        }
        for message in drain(&messages) {
            match message {
                Message::Changed if is_ready => return Ok(true),
                Message::Changed => {}
                Message::RefreshEnded => {
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
            _request = refresh(&source, &sender)?;
        }
    }
    Ok(false)
}

/// Opens the collection that the arguments describe. The first subscriber prints each event and
/// notifies the loop.
fn open(client: &Client, arguments: &[String], sender: Sender<Message>) -> remora::Result<Source> {
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
            // After the first refresh, unchanged results are not printed.
            if !refreshed_before || event.outcome() != Some(Outcome::Unchanged) {
                lines::print_event(event);
            }
            refreshed_before |= event.cause() == Cause::Refreshed;
            if event.changes().len() > 0 {
                // Fails only if the loop has ended, when no receiver exists.
                let _ = sender.send(Message::Changed);
            }
        })
        .open()
}

fn refresh(source: &Source, sender: &Sender<Message>) -> remora::Result<remora::Request> {
    let sender = sender.clone();
    // The event of a failed refresh has its error, and the next refresh may succeed.
    source.refresh_async(move |_| drop(sender.send(Message::RefreshEnded)))
}

fn drain(messages: &Receiver<Message>) -> Vec<Message> {
    messages.try_iter().collect()
}

/// Returns whether the descriptor became readable in time. After a signal it returns false.
fn wait_for(fd: RawFd, limit: Duration) -> io::Result<bool> {
    let mut wanted = PollFd {
        fd,
        events: POLLIN,
        revents: 0,
    };
    // Rounded up, so that the loop does not spin before the deadline.
    let limit = c_int::try_from(limit.as_millis() + 1).unwrap_or(c_int::MAX);
    // SAFETY: the count is 1, and the structure lives during the call.
    match unsafe { poll(&mut wanted, 1, limit) } {
        -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Ok(false),
        -1 => Err(io::Error::last_os_error()),
        count => Ok(count > 0),
    }
}
