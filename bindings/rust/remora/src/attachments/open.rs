// SPDX-License-Identifier: Apache-2.0

//! Opening attachments, with and without waiting.

use std::os::raw::c_void;
use std::ptr;

use remora_sys as sys;

use crate::attachments::request::Progress;
use crate::attachments::{Attachment, AttachmentRequest};
use crate::error::{check, Error, Result};
use crate::ffi::{self, Guarded};
use crate::refresh::{Owner, Pending, Request};

type Completion = ffi::Completion<Result<Attachment>>;

impl<'p> AttachmentRequest<'p> {
    /// Opens the attachment, and waits for its download if one is needed.
    ///
    /// Any thread, also in a closure that Remora calls. Blocks.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("ui").open()?;
    /// use remora::ErrorKind;
    /// match source.attachment_of("icon").open() {
    ///     Ok(icon) => println!("{} bytes", icon.len()),
    ///     Err(error) if error.kind() == ErrorKind::NotFound => println!("no icon"),
    ///     Err(error) => eprintln!("continuing without an icon: {error}"),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `NotFound` (the record, its attachment or the location does not exist, or the file is not
    /// stored and `local_only` is set), `Format` (the description in the record is invalid, or the
    /// server has no attachments), `TooLarge`, `AttachmentMismatch`, `Timeout`, `Closed`,
    /// `Backoff`, `Parse` (the server's root document), `Storage` (such as a full disk),
    /// `Cancelled` (in a child that was forked inside the progress closure), `InvalidArgument`,
    /// `Unavailable` (no thread, libcurl or libcrypto), and kinds of the network family. With
    /// `local_only` also `Corrupt` and `Permission`.
    pub fn open(mut self) -> Result<Attachment> {
        let mut progress = self
            .on_progress
            .take()
            .map(|closure| Guarded::new(closure, Default::default()));
        let mut attachment = ptr::null_mut();
        self.with_options(|record, options| {
            if let Some(progress) = &mut progress {
                // The progress closure is called during this call only, so it is not freed.
                let progress: *mut Guarded<Progress<'p>> = progress;
                options.on_progress = Some(report_progress);
                options.on_progress_user_data = progress.cast();
            }
            // SAFETY: the source lives as long as `self`; texts, snapshot and progress during the
            // call.
            check(|error| unsafe {
                let (source, limit) = (self.source.as_ptr(), self.timeout_ms);
                sys::remora_attachment_open(source, record, options, limit, &mut attachment, error)
            })
        })?;
        // SAFETY: the library has opened the attachment for us.
        unsafe { Attachment::from_owned(attachment) }.ok_or_else(Error::closed)
    }
}

impl AttachmentRequest<'static> {
    /// Starts to open the attachment like [`open`](Self::open). Returns a [`Request`] to cancel the
    /// opening.
    ///
    /// The closure receives the result once, on the thread of [`Callbacks`](crate::Callbacks). If
    /// the client or the source is closed first, the closure is dropped without a call. The
    /// `Request` keeps the source open. A panic in the closure is caught.
    ///
    /// Any thread, also in a closure that Remora calls. Does not block, but the first call of a process loads
    /// libcurl and libcrypto.
    ///
    /// # Errors
    /// `NotFound`, `Format` and `TooLarge`, if they follow from the record alone; `InvalidArgument`,
    /// `Closed`, `Unavailable`. The closure receives the other errors of `open`, and `Cancelled`.
    pub fn open_async(
        mut self,
        closure: impl FnOnce(Result<Attachment>) + Send + 'static,
    ) -> Result<Request> {
        let progress = self.on_progress.take();
        self.with_options(|record, options| {
            if let Some(progress) = progress {
                let progress = Guarded::user_data(progress, Default::default());
                options.on_progress = Some(report_progress);
                options.on_progress_user_data = progress.pointer;
                options.on_progress_free_user_data = progress.free;
            }
            let owner = Owner::Source(self.source.clone());
            // SAFETY: texts and snapshot live during the call, which passes the user data and its
            // callback, and those of the progress.
            unsafe {
                Request::begin(owner, closure, |completion, request, error| {
                    sys::remora_attachment_open_async(
                        self.source.as_ptr(),
                        record,
                        options,
                        self.timeout_ms,
                        Some(notify),
                        completion.pointer,
                        completion.free,
                        request,
                        error,
                    )
                })
            }
        })
    }

    /// Starts to open the attachment like [`open_async`](Self::open_async), and returns a future.
    pub fn open_future(self) -> Pending<Attachment> {
        Pending::begin(|result| self.open_async(|opened| result.set(opened)))
    }
}

unsafe extern "C" fn report_progress(now: *const sys::remora_progress, user_data: *mut c_void) {
    // SAFETY: the progress report lives during the call.
    let now = unsafe { &*now };
    let bytes = |number: i64| u64::try_from(number).unwrap_or_default();
    let notify = |closure: &mut Progress<'_>| closure(bytes(now.received), bytes(now.total));
    // SAFETY: the code that opens made the user data, and the library calls it once at a time.
    unsafe { Guarded::<Progress<'_>>::call(user_data, notify) };
}

unsafe extern "C" fn notify(result: *const sys::remora_result, user_data: *mut c_void) {
    let result = || {
        // SAFETY: the result and its parts live during the call; the error is NULL on success.
        let (opened, attachment) = unsafe {
            (
                Error::result((*result).error),
                Attachment::from_borrowed((*result).attachment),
            )
        };
        opened.and_then(|()| attachment.ok_or_else(Error::closed))
    };
    // SAFETY: `open_async` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
