// SPDX-License-Identifier: Apache-2.0

//! The options of opening an attachment.

use std::os::raw::c_char;
use std::ptr;
use std::time::Duration;

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::{defaults, with_text};
use crate::snapshot::{Record, Snapshot};
use crate::source::Source;
use crate::time;

pub(crate) type Progress<'p> = Box<dyn FnMut(u64, u64) + Send + 'p>;

/// The attachment to open.
enum Target {
    /// The attachment of the record with this id, in this snapshot or in the live one.
    Record(String, Option<Snapshot>),
    Location(String),
}

/// An attachment to open, with options. Created by [`Source::attachment`] and similar methods.
///
/// Opening searches the storage directory and the packaged attachments, and downloads the file if
/// neither contains it. Size and SHA-256 of an opened attachment match the record. Downloads are
/// stored for later openings, and resume after an interruption. Concurrent openings of an attachment
/// share one download.
///
/// ```no_run
/// # fn f(source: &remora::Source) -> remora::Result<()> {
/// use std::time::Duration;
/// let request = source.attachment_of("model").max_bytes(500 << 20);
/// let request = request.timeout(Duration::from_secs(600));
/// let model = request.on_progress(|received, total| println!("{received} of {total}")).open()?;
/// # Ok(()) }
/// ```
#[must_use = "an attachment is opened by open()"]
pub struct AttachmentRequest<'p> {
    pub(crate) source: Source,
    target: Target,
    max_bytes: i64,
    is_local_only: bool,
    pub(crate) timeout_ms: i64,
    pub(crate) on_progress: Option<Progress<'p>>,
}

impl Source {
    /// Prepares to open the attachment that this record describes, even if a newer version of the
    /// source describes another attachment.
    pub fn attachment(&self, record: &Record<'_>) -> AttachmentRequest<'static> {
        let snapshot = Some(record.snapshot().clone());
        self.request(Target::Record(record.id().into(), snapshot))
    }

    /// Prepares to open the attachment of the record with this id in the live snapshot.
    pub fn attachment_of(&self, id: impl Into<String>) -> AttachmentRequest<'static> {
        self.request(Target::Record(id.into(), None))
    }

    /// Prepares to open the attachment at this location. A record of the live snapshot, or a record
    /// that filters hide, must name the location.
    pub fn attachment_at(&self, location: impl Into<String>) -> AttachmentRequest<'static> {
        self.request(Target::Location(location.into()))
    }

    fn request(&self, target: Target) -> AttachmentRequest<'static> {
        AttachmentRequest {
            source: self.clone(),
            target,
            max_bytes: 0,
            is_local_only: false,
            timeout_ms: time::timeout(None),
            on_progress: None,
        }
    }
}

impl<'p> AttachmentRequest<'p> {
    /// Sets the largest permitted size. If the record states a larger size, opening fails with
    /// `TooLarge` and sends no request. Default: 64 MiB; `None` turns the limit off.
    pub fn max_bytes(mut self, limit: impl Into<Option<u64>>) -> Self {
        // In C, 0 selects the default, so the smallest limit is 1 byte.
        let bytes = |limit: u64| i64::try_from(limit.max(1)).unwrap_or(i64::MAX);
        self.max_bytes = limit.into().map_or(-1, bytes);
        self
    }

    /// Permits no request. If the file is neither stored nor packaged, opening fails with
    /// `NotFound`.
    pub fn local_only(mut self) -> Self {
        self.is_local_only = true;
        self
    }

    /// Sets a closure that receives the number of received bytes and of all bytes. It is called at
    /// most a hundred times for a download.
    ///
    /// The first number includes the bytes of an earlier attempt, and decreases if the server
    /// restarts the transfer. [`open`](Self::open) calls the closure on the calling thread, and
    /// [`open_async`](Self::open_async) on the thread of [`Callbacks`](crate::Callbacks). After a
    /// panic the closure is not called again, and the opening continues.
    pub fn on_progress<'q>(
        self,
        closure: impl FnMut(u64, u64) + Send + 'q,
    ) -> AttachmentRequest<'q> {
        AttachmentRequest {
            source: self.source,
            target: self.target,
            max_bytes: self.max_bytes,
            is_local_only: self.is_local_only,
            timeout_ms: self.timeout_ms,
            on_progress: Some(Box::new(closure)),
        }
    }

    /// Sets the time limit of the opening. With `None`, the default, only the client's time limits
    /// apply, but not [`total_timeout`](crate::ClientBuilder::total_timeout). With zero, opening
    /// fails with `Timeout` if a request would be needed.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout_ms = time::timeout(limit.into());
        self
    }

    /// Calls a function with the attachment's name, and all options in C except the progress.
    pub(crate) fn with_options<T>(
        &self,
        call: impl FnOnce(*const c_char, &mut sys::remora_attachment_options) -> Result<T>,
    ) -> Result<T> {
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut options = unsafe { defaults::<sys::remora_attachment_options>() };
        options.max_bytes = self.max_bytes;
        options.local_only = self.is_local_only.into();
        match &self.target {
            Target::Record(id, snapshot) => with_text(id, "record", |id| {
                options.snapshot = snapshot.as_ref().map_or(ptr::null(), Snapshot::as_ptr);
                call(id, &mut options)
            }),
            Target::Location(location) => with_text(location, "location", |location| {
                options.by_location = 1;
                call(location, &mut options)
            }),
        }
    }
}
