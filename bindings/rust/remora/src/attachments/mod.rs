// SPDX-License-Identifier: Apache-2.0

//! The bytes of an attachment.

mod info;
mod open;
mod request;

pub use info::AttachmentInfo;
pub use request::AttachmentRequest;

use std::ffi::{CStr, OsStr};
use std::fmt;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;
use std::slice;

use remora_sys as sys;

/// The bytes of an attachment. Their number and SHA-256 are those that the record states.
///
/// Dereferences to a slice of bytes that never change, mapped if a file contains them. Clones share
/// the bytes, which stay readable after the source and the client are closed, and in a forked
/// child.
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let client = remora::Client::in_memory().build()?;
/// # let source = client.collection("ui").open()?;
/// let icon: remora::Attachment = source.attachment_of("icon").open()?;
/// println!("{} bytes, {}", icon.len(), String::from_utf8_lossy(&icon));
/// # Ok(()) }
/// ```
pub struct Attachment {
    raw: NonNull<sys::remora_attachment>,
    /// The bytes, which live as long as the handle.
    bytes: NonNull<[u8]>,
}

// SAFETY: an attachment never changes, and its owners are counted atomically.
unsafe impl Send for Attachment {}
// SAFETY: as above.
unsafe impl Sync for Attachment {}

impl Attachment {
    /// Takes ownership; `None` for NULL.
    ///
    /// # Safety
    /// `raw` must be NULL, or an attachment of which the caller passes one reference to this value.
    pub(crate) unsafe fn from_owned(raw: *mut sys::remora_attachment) -> Option<Self> {
        let raw = NonNull::new(raw)?;
        // SAFETY: guaranteed by the caller; the bytes, of this number, live as long as the handle.
        let bytes = unsafe {
            let start = sys::remora_attachment_data(raw.as_ptr()).cast();
            slice::from_raw_parts(start, sys::remora_attachment_size(raw.as_ptr()))
        };
        Some(Self {
            raw,
            bytes: NonNull::from(bytes),
        })
    }

    /// Adds a reference to an attachment; `None` for NULL.
    ///
    /// # Safety
    /// `raw` must be NULL or an attachment that has not been freed.
    pub(crate) unsafe fn from_borrowed(raw: *const sys::remora_attachment) -> Option<Self> {
        // SAFETY: guaranteed by the caller; the reference that was added is ours.
        unsafe { Self::from_owned(sys::remora_attachment_retain(raw)) }
    }

    /// Returns the path of the file that has the bytes, for code that needs a file; `None` if the
    /// bytes are in memory only.
    ///
    /// Do not change the file, because other openings share it. Remora can remove the file when no
    /// record refers to it any more; this value stays readable then. Any thread; does not block.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("ui").open()?;
    /// let model = source.attachment_of("model").open()?;
    /// match model.path() {
    ///     Some(path) => println!("to be loaded from {}", path.display()),
    ///     None => println!("to be loaded from {} bytes of memory", model.len()),
    /// }
    /// # Ok(()) }
    /// ```
    pub fn path(&self) -> Option<&Path> {
        // SAFETY: the handle lives as long as `self`, and so does its path.
        let path = unsafe {
            let start = sys::remora_attachment_path(self.raw.as_ptr());
            (!start.is_null()).then(|| CStr::from_ptr(start))
        };
        path.map(|path| Path::new(OsStr::from_bytes(path.to_bytes())))
    }
}

impl Deref for Attachment {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the bytes live as long as the handle, which lives as long as `self`.
        unsafe { self.bytes.as_ref() }
    }
}

impl AsRef<[u8]> for Attachment {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Clone for Attachment {
    /// Adds a reference. Does not copy the bytes.
    fn clone(&self) -> Self {
        // SAFETY: the attachment is alive; the library returns it.
        unsafe { sys::remora_attachment_retain(self.raw.as_ptr()) };
        let Self { raw, bytes } = *self;
        Self { raw, bytes }
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        // SAFETY: one ownership is ours, and this is its last use.
        unsafe { sys::remora_attachment_release(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Attachment {
    /// Prints the size and the path, not the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment")
            .field("len", &self.len())
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}
