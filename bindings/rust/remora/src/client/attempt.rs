// SPDX-License-Identifier: Apache-2.0

//! The outcome and cost of each attempt to refresh.

use std::fmt;
use std::os::raw::c_void;
use std::time::Duration;

use remora_sys as sys;

use crate::error::{http_status, Error};
use crate::ffi::{copy_of, Guarded};
use crate::open_enum::open_enum;
use crate::time::milliseconds;

open_enum! {
    /// The kinds of sources.
    SourceKind(remora_source_kind_name) {
        /// A collection of a Remote Settings server.
        Collection = REMORA_KIND_COLLECTION,
        /// A bundle of namespaces.
        Bundle = REMORA_KIND_BUNDLE,
        /// A dictionary of settings.
        Settings = REMORA_KIND_SETTINGS,
    }
}

open_enum! {
    /// The result of a refresh. All are successes except `Refused` and `Failed`.
    Outcome(remora_outcome_name) {
        /// No request was needed, because the source has data; see
        /// [`RefreshOptions::only_if_empty`](crate::RefreshOptions::only_if_empty).
        Nothing = REMORA_OUTCOME_NONE,
        /// A newer version is live.
        Updated = REMORA_OUTCOME_UPDATED,
        /// The server has no newer version.
        Unchanged = REMORA_OUTCOME_UNCHANGED,
        /// The server's version is not used: a higher one (for a bundle, also an equal one) was
        /// accepted before.
        NotNewer = REMORA_OUTCOME_NOT_NEWER,
        /// A newer version is staged: it is stored, and becomes live later.
        Staged = REMORA_OUTCOME_STAGED,
        /// A response arrived, and failed a check.
        Refused = REMORA_OUTCOME_REFUSED,
        /// No usable response arrived.
        Failed = REMORA_OUTCOME_FAILED,
    }
}

impl Outcome {
    /// Returns the outcome of an event; `None` if the event has no outcome.
    pub(crate) fn of_event(number: i32) -> Option<Self> {
        (number != remora_sys::REMORA_OUTCOME_NONE).then(|| Self::from_raw(number))
    }
}

pub(crate) type AttemptClosure = Box<dyn FnMut(&Attempt<'_>) + Send>;

/// A completed attempt to refresh a source. Valid during the call of the closure.
pub struct Attempt<'a> {
    raw: &'a sys::remora_attempt,
}

impl Attempt<'_> {
    /// Returns the name of the source: for a collection, bucket and name, such as "main/regions";
    /// otherwise the URL without its query, followed by the name of the bundle or the tag of the
    /// settings, if there is one. For a sync's request to a server's monitor: "monitor/changes".
    pub fn source_name(&self) -> String {
        // SAFETY: the text lives during the call, and is never NULL.
        unsafe { copy_of(self.raw.source_name) }
    }

    /// Returns the server, as in [`SourceInfo::server`](crate::SourceInfo::server).
    pub fn server(&self) -> String {
        // SAFETY: the text lives during the call, and is never NULL.
        unsafe { copy_of(self.raw.server) }
    }

    /// Returns the kind of the source; [`Collection`](SourceKind::Collection) for a monitor.
    pub fn kind(&self) -> SourceKind {
        SourceKind::from_raw(self.raw.kind)
    }

    /// Returns the outcome; [`Updated`](Outcome::Updated) for a response of a monitor.
    pub fn outcome(&self) -> Outcome {
        Outcome::from_raw(self.raw.outcome)
    }

    /// Returns the duration; zero if a monitor listed the source as unchanged.
    pub fn duration(&self) -> Duration {
        milliseconds(self.raw.duration_ms).unwrap_or_default()
    }

    /// Returns the number of bytes of all received bodies, decoded.
    pub fn bytes(&self) -> u64 {
        self.raw.bytes.try_into().unwrap_or_default()
    }

    /// Returns the HTTP status of the last response; `None` if no response was received.
    pub fn http_status(&self) -> Option<u16> {
        http_status(self.raw.http_status)
    }

    /// Returns the reason for [`Refused`](Outcome::Refused) or [`Failed`](Outcome::Failed), else
    /// `None`.
    pub fn error(&self) -> Option<Error> {
        // SAFETY: the error lives during the call, or is NULL.
        unsafe { Error::from_nullable(self.raw.error) }
    }
}

impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("source_name", &self.source_name())
            .field("server", &self.server())
            .field("kind", &self.kind())
            .field("outcome", &self.outcome())
            .field("duration", &self.duration())
            .field("bytes", &self.bytes())
            .field("http_status", &self.http_status())
            .field("error", &self.error())
            .finish()
    }
}

/// Adds the closure to the configuration. The call that receives the configuration owns the closure.
pub(crate) fn install(closure: AttemptClosure, config: &mut sys::remora_config) {
    let closure = Guarded::user_data(closure, Default::default());
    config.on_attempt = Some(notify);
    config.on_attempt_user_data = closure.pointer;
    config.on_attempt_free_user_data = closure.free;
}

unsafe extern "C" fn notify(attempt: *const sys::remora_attempt, user_data: *mut c_void) {
    let notify = |closure: &mut AttemptClosure| {
        // SAFETY: the attempt lives during the call.
        let raw = unsafe { &*attempt };
        closure(&Attempt { raw });
    };
    // SAFETY: `install` made the user data, and the library calls it once at a time.
    unsafe { Guarded::<AttemptClosure>::call(user_data, notify) };
}
