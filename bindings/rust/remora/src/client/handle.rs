// SPDX-License-Identifier: Apache-2.0

//! The C handle of a client, which `close` releases even if other owners exist.
//!
//! The library requires that no call is using a client while it is closed. So every call is a
//! visit, and the last visit or the last owner closes the client. The exception is a dispatch whose
//! closure closes the client. This module uses no lock, because a child that was forked while
//! another thread held the lock could never take it.

use std::cell::Cell;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

use remora_sys as sys;

use crate::error::{Error, Result};

/// Mark: no further visit may begin.
const CLOSED: usize = 1 << (usize::BITS - 1);
/// Mark: the handle was closed.
const ENDED: usize = 1 << (usize::BITS - 2);

thread_local! {
    /// The innermost dispatch that is running on this thread.
    static DISPATCHING: Cell<*const Frame> = const { Cell::new(ptr::null()) };
}

/// A dispatch that is running, in the stack of its thread.
struct Frame {
    client: *const ClientHandle,
    outer: *const Frame,
}

pub(crate) struct ClientHandle {
    raw: NonNull<sys::remora_client>,
    /// The number of visitors, and the two marks.
    state: AtomicUsize,
}

// SAFETY: every function of the library may be called from any thread; `state` keeps the handle
// from being used after its end.
unsafe impl Send for ClientHandle {}
// SAFETY: as above.
unsafe impl Sync for ClientHandle {}

impl ClientHandle {
    /// # Safety
    /// `raw` must be a client that no other code closes.
    pub(crate) unsafe fn new(raw: NonNull<sys::remora_client>) -> Self {
        Self {
            raw,
            state: AtomicUsize::new(0),
        }
    }

    /// Calls a function with the handle. Fails if the client was closed.
    pub(crate) fn visit<T>(
        &self,
        call: impl FnOnce(*mut sys::remora_client) -> Result<T>,
    ) -> Result<T> {
        let enter = |state| (state & CLOSED == 0).then_some(state + 1);
        self.state
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, enter)
            .map_err(|_| Error::closed())?;
        let _visit = Visit(self);
        call(self.raw.as_ptr())
    }

    /// Calls a function that runs callbacks, like `visit`.
    pub(crate) fn visit_to_dispatch<T>(
        &self,
        call: impl FnOnce(*mut sys::remora_client) -> Result<T>,
    ) -> Result<T> {
        self.visit(|raw| {
            let outer = DISPATCHING.with(Cell::get);
            let client = self;
            let frame = Frame { client, outer };
            DISPATCHING.with(|here| here.set(&frame));
            let _outer = Innermost(outer);
            call(raw)
        })
    }

    /// Prevents further visits, and closes the client as soon as no visit is running.
    pub(crate) fn close(&self) {
        let before = self.state.fetch_or(CLOSED, Ordering::AcqRel);
        if before == 0 || (before == 1 && self.is_dispatching_here()) {
            self.end();
        }
    }

    /// Returns whether this thread is inside a dispatch of this client, innermost or not.
    fn is_dispatching_here(&self) -> bool {
        let mut next = DISPATCHING.try_with(Cell::get).unwrap_or(ptr::null());
        // SAFETY: a frame lives until its dispatch has ended and has put the outer one back.
        while let Some(frame) = unsafe { next.as_ref() } {
            if ptr::eq(frame.client, self) {
                return true;
            }
            next = frame.outer;
        }
        false
    }

    fn end(&self) {
        self.state.fetch_or(ENDED, Ordering::AcqRel);
        // SAFETY: CLOSED allows no further visit, and the callers have found that none is running.
        // The library allows it inside a callback of the client's own dispatch.
        unsafe { sys::remora_client_close(self.raw.as_ptr()) };
    }
}

impl Drop for ClientHandle {
    fn drop(&mut self) {
        if *self.state.get_mut() & ENDED == 0 {
            self.end();
        }
    }
}

/// A running visit. Dropping the last visit of a closed client closes the handle.
struct Visit<'h>(&'h ClientHandle);

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if self.0.state.fetch_sub(1, Ordering::AcqRel) == CLOSED + 1 {
            self.0.end();
        }
    }
}

/// Restores the innermost dispatch of the thread when dropped.
struct Innermost(*const Frame);

impl Drop for Innermost {
    fn drop(&mut self) {
        DISPATCHING.with(|here| here.set(self.0));
    }
}
