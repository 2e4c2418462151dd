// SPDX-License-Identifier: Apache-2.0

//! Closures on a thread of the program: a descriptor to wait for, and a call that runs closures.

use std::os::unix::io::{BorrowedFd, OwnedFd, RawFd};

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};

/// The thread on which a client's closures run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Callbacks {
    /// On a thread of the client, "remora-events".
    OnThread,
    /// Inside [`Client::dispatch`], on the thread that calls it. But log lines that are still
    /// queued when the client is closed arrive on the thread that closes it.
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
    /// Returns a descriptor that becomes readable when closures are queued for
    /// [`dispatch`](Self::dispatch).
    ///
    /// Use the descriptor in select, poll or epoll, level- or edge-triggered. Never read, write or
    /// close it. It can be readable while no closure is queued. Remove it from the event loop
    /// before the client is closed. After a fork, the child must call this method again.
    ///
    /// Any thread; does not block. Every call returns the same number.
    ///
    /// # Errors
    /// `InvalidArgument` (without `Callbacks::OnDispatch`), `Unavailable` (no descriptor, or no
    /// thread), `Closed`.
    pub fn fd(&self) -> Result<RawFd> {
        self.handle.visit(fd_of)
    }

    /// Returns a duplicate of the descriptor that [`fd`](Self::fd) returns, for an event loop that
    /// owns its descriptors. The duplicate also becomes readable when the client is closed. After a
    /// fork, the child must call this method again.
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

    /// Runs the closures that were queued before the call, and returns their number.
    ///
    /// Closures that are queued meanwhile run in the next call. If a closure closes the client, no
    /// further closure runs. Any thread, but one call at a time per client. Blocks only for the
    /// closures.
    ///
    /// # Errors
    /// `Busy` (another thread, or the calling closure, is inside this method with the same client),
    /// `InvalidArgument` (without `Callbacks::OnDispatch`), `Closed`.
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
