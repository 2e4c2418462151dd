// SPDX-License-Identifier: Apache-2.0

//! Which attachment to open, and how. Nothing is looked for before `open`.

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

/// Which attachment is meant.
enum Target {
    /// That of the record of this id, in this snapshot or in the live one.
    Record(String, Option<Snapshot>),
    Location(String),
}

/// Which attachment to open, and how; what is not set has its default.
///
/// It is looked for in the storage directory, then among the packaged attachments, and then it is
/// downloaded. Size and SHA-256 of the opened attachment match the record, so that it is as
/// trustworthy as the record. A download is stored for the next opening, of any record, client or
/// process; one that breaks off is continued. Openings of one attachment at the same time share one
/// download.
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
    /// Prepares to open a record's attachment, as that record describes it: an update in between
    /// does not matter.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("ui").open()?;
    /// let snapshot = source.snapshot()?;
    /// for record in snapshot.records() {
    ///     if record.attachment()?.is_some() {
    ///         println!("{}: {} bytes", record.id(), source.attachment(&record).open()?.len());
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub fn attachment(&self, record: &Record<'_>) -> AttachmentRequest<'static> {
        let snapshot = Some(record.snapshot().clone());
        self.request(Target::Record(record.id().into(), snapshot))
    }

    /// Prepares to open the attachment of the record of that id, in the snapshot that is live when
    /// it is opened.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("ui").open()?;
    /// use remora::ErrorKind;
    /// let error = source.attachment_of("icon").open().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotFound); // no such record
    /// # Ok(()) }
    /// ```
    pub fn attachment_of(&self, id: impl Into<String>) -> AttachmentRequest<'static> {
        self.request(Target::Record(id.into(), None))
    }

    /// Prepares to open the attachment at a location, as a live record has it; records that filters
    /// hide count.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("ui").open()?;
    /// use remora::ErrorKind;
    /// let error = source.attachment_at("ui/icon.svg").open().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotFound); // no record has it
    /// # Ok(()) }
    /// ```
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
    /// Sets the maximum size in the record; a larger attachment is `TooLarge` and not requested.
    /// Default 64 MiB; `None` is without limit.
    ///
    /// ```
    /// # fn f(source: &remora::Source) -> remora::Result<remora::Attachment> {
    /// source.attachment_of("model").max_bytes(500 << 20).open()
    /// # }
    /// ```
    pub fn max_bytes(mut self, limit: impl Into<Option<u64>>) -> Self {
        // 0 is the default there, so that the smallest limit is 1 byte.
        let bytes = |limit: u64| i64::try_from(limit.max(1)).unwrap_or(i64::MAX);
        self.max_bytes = limit.into().map_or(-1, bytes);
        self
    }

    /// Sends no request: what is neither stored nor packaged is `NotFound`.
    ///
    /// ```
    /// # fn f(source: &remora::Source) -> remora::Result<remora::Attachment> {
    /// source.attachment_of("icon").local_only().open()
    /// # }
    /// ```
    pub fn local_only(mut self) -> Self {
        self.is_local_only = true;
        self
    }

    /// Reports the progress of the download to a closure: the received bytes, and all bytes.
    ///
    /// It is called a hundred times at most, with both equal before the end of a download that
    /// succeeds, and never when nothing is downloaded. The first number starts with the bytes of an
    /// earlier attempt, and falls if the server starts again. [`open`](Self::open) calls it on its
    /// own thread; of [`open_async`](Self::open_async) it runs where the client's closures run,
    /// before the other closure. After a panic it is not called again; the opening continues.
    ///
    /// ```
    /// # fn f(source: &remora::Source) -> remora::Result<remora::Attachment> {
    /// let mut seen = 0;
    /// let request = source.attachment_of("model").on_progress(|received, total| {
    ///     seen = received;
    ///     println!("{received} of {total} bytes");
    /// });
    /// request.open()
    /// # }
    /// ```
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

    /// Sets how long the opening may take. Default and `None`: the transport's limits, which are
    /// those of the client but for [`total_timeout`](crate::ClientBuilder::total_timeout). Zero
    /// opens a stored or packaged attachment, and is `Timeout` if a request would be needed.
    ///
    /// ```
    /// # fn f(source: &remora::Source) -> remora::Result<remora::Attachment> {
    /// use std::time::Duration;
    /// source.attachment_of("icon").timeout(Duration::from_secs(5)).open()
    /// # }
    /// ```
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout_ms = time::timeout(limit.into());
        self
    }

    /// Calls with the name of the attachment and the options as C takes them, all but the progress.
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
