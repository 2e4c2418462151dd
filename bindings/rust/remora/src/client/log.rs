// SPDX-License-Identifier: Apache-2.0

//! Log lines.

use std::ffi::CStr;
use std::os::raw::c_void;

use remora_sys as sys;

use crate::ffi::Guarded;

pub(crate) type LogClosure = Box<dyn FnMut(LogLevel, &str) + Send>;

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// A failure.
    Error,
    /// A problem that the library works around.
    Warning,
    /// Important events, such as new data.
    Info,
    /// Details, such as each request.
    Debug,
}

impl LogLevel {
    pub(crate) fn to_raw(self) -> i32 {
        match self {
            LogLevel::Error => sys::REMORA_LOG_ERROR,
            LogLevel::Warning => sys::REMORA_LOG_WARNING,
            LogLevel::Info => sys::REMORA_LOG_INFO,
            LogLevel::Debug => sys::REMORA_LOG_DEBUG,
        }
    }

    fn from_raw(level: i32) -> Self {
        match level {
            sys::REMORA_LOG_ERROR => LogLevel::Error,
            sys::REMORA_LOG_WARNING => LogLevel::Warning,
            sys::REMORA_LOG_INFO => LogLevel::Info,
            _ => LogLevel::Debug,
        }
    }
}

/// Adds the closure to the configuration. The call that receives the configuration owns the closure.
pub(crate) fn install(closure: LogClosure, config: &mut sys::remora_config) {
    let closure = Guarded::user_data(closure, Default::default());
    config.on_log = Some(notify);
    config.on_log_user_data = closure.pointer;
    config.on_log_free_user_data = closure.free;
}

unsafe extern "C" fn notify(entry: *const sys::remora_log_entry, user_data: *mut c_void) {
    let notify = |closure: &mut LogClosure| {
        // SAFETY: the entry lives during the call, and its message is never NULL.
        let (level, message) = unsafe { ((*entry).level, CStr::from_ptr((*entry).message)) };
        closure(LogLevel::from_raw(level), &message.to_string_lossy());
    };
    // SAFETY: `install` made the user data, and the library calls it once at a time.
    unsafe { Guarded::<LogClosure>::call(user_data, notify) };
}
