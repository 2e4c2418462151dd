// SPDX-License-Identifier: Apache-2.0

//! Waits for SIGINT and SIGTERM.

use std::os::raw::{c_int, c_long, c_ulong, c_void};
use std::time::Duration;
use std::{mem, ptr};

/// The signal set of Linux's C libraries: 1024 signals.
#[repr(C)]
struct SignalSet([c_ulong; 1024 / (8 * mem::size_of::<c_ulong>())]);

#[repr(C)]
struct TimeSpec {
    seconds: c_long,
    nanoseconds: c_long,
}

const SIG_BLOCK: c_int = 0;
const SIGINT: c_int = 2;
const SIGTERM: c_int = 15;

extern "C" {
    fn sigemptyset(set: *mut SignalSet) -> c_int;
    fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
    fn sigprocmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
    fn sigtimedwait(set: *const SignalSet, info: *mut c_void, limit: *const TimeSpec) -> c_int;
}

/// The signals that stop a program, blocked so that a thread can wait for them.
pub struct Ends(SignalSet);

impl Ends {
    /// Blocks the signals. Call it before the first thread starts, so that only `arrive_within`
    /// receives them.
    pub fn block() -> Self {
        let mut set = SignalSet([0; 1024 / (8 * mem::size_of::<c_ulong>())]);
        // SAFETY: the set lives during the calls, and is as large as C's.
        unsafe {
            sigemptyset(&mut set);
            sigaddset(&mut set, SIGINT);
            sigaddset(&mut set, SIGTERM);
            sigprocmask(SIG_BLOCK, &set, ptr::null_mut());
        }
        Self(set)
    }

    /// Waits. Returns true if a signal arrived before the time was over.
    pub fn arrive_within(&self, limit: Duration) -> bool {
        let limit = TimeSpec {
            seconds: limit.as_secs().try_into().unwrap_or(c_long::MAX),
            nanoseconds: limit.subsec_nanos() as c_long,
        };
        // SAFETY: set and limit live during the call; a null pointer is allowed for the info.
        unsafe { sigtimedwait(&self.0, ptr::null_mut(), &limit) > 0 }
    }
}
