// SPDX-License-Identifier: Apache-2.0

//! A clock that a test moves.

use std::os::raw::c_void;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use remora_sys as sys;

use crate::ffi::defaults;

/// 1 January 2030.
const START_MS: i64 = 1_893_456_000_000;

/// A clock that stands still until [`advance`](Self::advance). Clones are the same clock.
///
/// Timeouts of calls, refresh intervals, backoffs and the freshness of data follow the clock. A
/// timeout expires only when another thread moves the clock.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    passed_ms: Arc<AtomicI64>,
}

impl Clock {
    /// Creates a clock at 1 January 2030.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock forward. Calls whose timeout has expired return, and due refreshes start.
    ///
    /// Any thread. Blocks for a running job of the thread `remora-engine`, and for file system
    /// calls.
    pub fn advance(&self, time: Duration) {
        let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4);
        self.passed_ms.fetch_add(ms, Ordering::SeqCst);
        // SAFETY: the function has no arguments.
        unsafe { sys::remora_clock_changed() };
    }

    /// Returns the time of the clock.
    pub fn now(&self) -> SystemTime {
        let ms = START_MS + self.passed_ms.load(Ordering::SeqCst);
        UNIX_EPOCH + Duration::from_millis(ms.unsigned_abs())
    }

    /// Returns the clock in C. The call that receives the configuration owns the user data.
    pub(crate) fn raw(&self) -> sys::remora_clock {
        // SAFETY: zero bytes are a clock of NULLs.
        let mut raw = unsafe { defaults::<sys::remora_clock>() };
        raw.read = Some(read);
        raw.user_data = Arc::into_raw(Arc::clone(&self.passed_ms)) as *mut c_void;
        raw.free_user_data = Some(free);
        raw
    }
}

unsafe extern "C" fn read(wall_ms: *mut i64, monotonic_ms: *mut i64, user_data: *mut c_void) {
    // SAFETY: `raw` made the user data, which the library has not freed; the outputs are the library's.
    unsafe {
        let passed_ms = (*user_data.cast::<AtomicI64>()).load(Ordering::SeqCst);
        *wall_ms = START_MS + passed_ms;
        *monotonic_ms = passed_ms;
    }
}

unsafe extern "C" fn free(user_data: *mut c_void) {
    // SAFETY: `raw` made the user data, and the library frees them once.
    drop(unsafe { Arc::from_raw(user_data.cast::<AtomicI64>()) });
}
