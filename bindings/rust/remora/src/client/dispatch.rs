// SPDX-License-Identifier: Apache-2.0

//! Closures on the host's own thread: a descriptor to wait for, and a call that runs them.

use std::os::unix::io::{BorrowedFd, OwnedFd, RawFd};

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};

/// Where a client's closures run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Callbacks {
    /// On a thread of the client, "remora-events".
    OnThread,
    /// Inside [`Client::dispatch`], on the thread that calls it. Log lines that are still queued when
    /// the client ends: on the thread that ends it.
    OnDispatch,
}

impl Callbacks {
    pub(crate) fn to_raw(self) -> i32 {
        match self {
            Callbacks::OnThread => sys::REMORA_CALLBACKS_ON_THREAD,
            Callbacks::OnDispatch => sys::REMORA_CALLBACKS_ON_DISPATCH,
        }
    }
}

impl Client {
    /// Returns the descriptor that becomes readable when closures wait for
    /// [`dispatch`](Self::dispatch).
    ///
    /// For select, poll and epoll, level- or edge-triggered. Only wait for it: never read, write or
    /// close it. It may be readable with nothing to do. It is the client's: take it out of the loop
    /// before the client ends. After a fork the child calls this again.
    ///
    /// Any thread; does not block. The same number at every call.
    ///
    /// # Errors
    /// `InvalidArgument` (closures run on a thread), `Unavailable` (no descriptor, or no thread),
    /// `Closed`.
    pub fn fd(&self) -> Result<RawFd> {
        self.handle.visit(fd_of)
    }

    /// Returns a duplicate of the descriptor that [`fd`](Self::fd) returns, for an event loop that
    /// owns its descriptors. It becomes readable when the client is closed too. After a fork, the
    /// child must call this method again.
    ///
    /// Any thread; does not block.
    ///
    /// # Errors
    /// As `fd`.
    pub fn duplicate_fd(&self) -> Result<OwnedFd> {
        self.handle.visit(|client| {
            let fd = fd_of(client)?;
            // SAFETY: the client does not close its descriptor during the visit.
            let fd = unsafe { BorrowedFd::borrow_raw(fd) };
            fd.try_clone_to_owned()
                .map_err(|error| Error::unavailable(format!("fd: cannot be duplicated: {error}")))
        })
    }

    /// Runs the closures that wait: those queued before the call. Returns their number.
    ///
    /// What they cause is for the next call. A closure may close the client: then no further one
    /// runs. Any thread, one at a time per client. Blocks for the closures only.
    ///
    /// # Errors
    /// `Busy` (another thread, or the calling closure, is inside this method with the same
    /// client), `InvalidArgument` (closures run on a thread), `Closed`.
    pub fn dispatch(&self) -> Result<usize> {
        self.handle.visit_to_dispatch(|client| {
            let mut count = 0;
            // SAFETY: the client lives during the visit, unless a closure ends it, which the
            // library allows.
            check(|error| unsafe { sys::remora_dispatch(client, &mut count, error) })?;
            Ok(count)
        })
    }
}

fn fd_of(client: *mut sys::remora_client) -> Result<RawFd> {
    let mut fd = -1;
    // SAFETY: the caller visits the client.
    check(|error| unsafe { sys::remora_client_get_fd(client, &mut fd, error) })?;
    Ok(fd)
}
