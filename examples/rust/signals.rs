// SPDX-License-Identifier: Apache-2.0

//! SIGINT and SIGTERM as something to wait for.

use std::os::raw::{c_int, c_long, c_ulong, c_void};
use std::time::Duration;
use std::{mem, ptr};

/// A set of 1024 signals, as Linux's C libraries have it.
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

/// The signals that end a program, once they are blocked.
pub struct Ends(SignalSet);

impl Ends {
    /// Blocks them. To be called before the first thread, so that they come to `come_within` alone.
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

    /// Waits; whether a signal came first.
    pub fn come_within(&self, limit: Duration) -> bool {
        let limit = TimeSpec {
            seconds: limit.as_secs().try_into().unwrap_or(c_long::MAX),
            nanoseconds: limit.subsec_nanos() as c_long,
        };
        // SAFETY: set and limit live during the call; nobody wants to know more of the signal.
        unsafe { sigtimedwait(&self.0, ptr::null_mut(), &limit) > 0 }
    }
}
