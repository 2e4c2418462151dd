// SPDX-License-Identifier: Apache-2.0

//! Connects [`remora`] with tokio: the changes of a source as a [`Stream`], and the closures of a
//! client in a task.
//!
//! Refreshes, waits, syncs and attachments are futures in the crate `remora` itself; see
//! [`Source::refresh_future`]. The README of this crate is a complete program.

#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use remora::{Change, Changes, Client, Error, ErrorKind, Result, Source};
use tokio::io::unix::AsyncFd;
use tokio::io::Interest;

/// The changes of a source as a stream; see [`changes`].
#[derive(Debug)]
#[must_use = "changes are delivered only while this value is kept"]
pub struct ChangeStream(Changes);

/// Returns a stream of the changes of a source, or of one key, from now on.
///
/// Changes that the stream has not returned yet are merged: at most three snapshots are kept, and
/// the last change of a key always has the newest value. When the client is closed, the stream
/// returns the changes that were reported before, and ends. Any thread, with or without a runtime.
///
/// # Errors
/// As [`Source::subscribe`].
pub fn changes<'k>(source: &Source, key: impl Into<Option<&'k str>>) -> Result<ChangeStream> {
    source.changes(key).map(ChangeStream)
}

impl Stream for ChangeStream {
    type Item = Change;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Change>> {
        self.0.poll_next(context)
    }
}

/// Runs the closures of a client on the task that awaits this call, until the client is closed.
///
/// Use this function with [`Callbacks::OnDispatch`](remora::Callbacks::OnDispatch), so that
/// closures run on a thread of the runtime. Drop the future to stop. A forked child must call this
/// function again.
///
/// # Errors
/// Those of [`Client::dispatch`] except `Closed`, as the inner error of an [`io::Error`]; and those of
/// the runtime if it cannot watch a descriptor.
///
/// # Panics
/// Outside of a tokio runtime, and in a runtime without I/O.
pub async fn dispatch(client: &Client) -> io::Result<()> {
    let closed = |error: &Error| error.kind() == ErrorKind::Closed;
    let descriptor = match client.duplicate_fd() {
        Err(error) if closed(&error) => return Ok(()),
        result => result.map_err(other)?,
    };
    let watched = AsyncFd::with_interest(descriptor, Interest::READABLE)?;
    loop {
        // Cleared before the closures run: a closure that is queued meanwhile sets it again.
        watched.readable().await?.clear_ready();
        match client.dispatch() {
            Err(error) if closed(&error) => return Ok(()),
            result => result.map_err(other)?,
        };
    }
}

fn other(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::Other, error)
}

/// The program of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
