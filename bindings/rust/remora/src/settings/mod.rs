// SPDX-License-Identifier: Apache-2.0

//! Settings that are open, and their tags.

mod builder;
mod experiment;
mod identity;

pub use builder::SettingsBuilder;
pub use experiment::Experiment;
pub(crate) use identity::settings_identity;
pub use identity::SettingsIdentity;

use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::time::Duration;

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::ffi::with_text;
use crate::source::Source;
use crate::time;

/// A dictionary of settings in the format of the PAPulse SDK (Picsart's client of remote settings),
/// with its tags (additional dictionaries). Dereferences to its [`Source`].
#[derive(Clone)]
pub struct Settings {
    source: Source,
}

impl Settings {
    /// Opens the dictionary of a tag. Its fetched data becomes live at once.
    ///
    /// The tag has the URL, parameters, root key, tag item, `ttl` and storage options with which
    /// these settings were opened. The tag is closed when its last clone is dropped. But its data
    /// stays in memory until these settings are closed, so only the first call for a tag reads
    /// files.
    ///
    /// `tag` has 1 to 256 bytes. `ttl` sets how long data of the tag is fresh, like
    /// [`SettingsBuilder::ttl`]; `None` means the `ttl` of these settings. If the tag is already
    /// open with another `ttl`, the earlier `ttl` stays, and the log has a warning unless you
    /// passed `None`. For other options, use [`SettingsBuilder::tag`]. Sends no request. Any
    /// thread; the first call for a tag blocks for file system calls.
    ///
    /// # Errors
    /// `InvalidArgument`, also if these settings are a tag; `Closed`.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let settings = client.settings("http://127.0.0.1:9/").fetch_at_open(false).open()?;
    /// let editor = settings.tag("editor", None)?;
    /// editor.prefetch()?; // Returns at once.
    /// assert_eq!(editor.get_int("brush", None).unwrap_or(3), 3); // The live value.
    /// # Ok(()) }
    /// ```
    pub fn tag(&self, tag: &str, ttl: impl Into<Option<Duration>>) -> Result<Settings> {
        let ttl_ms = ttl.into().map_or(0, time::lifetime);
        let mut opened = ptr::null_mut();
        with_text(tag, "tag", |tag| {
            // SAFETY: the source lives as long as `self`, and the text during the call.
            check(|error| unsafe {
                sys::remora_open_tag(self.as_ptr(), tag, ttl_ms, &mut opened, error)
            })
        })?;
        let raw = NonNull::new(opened).ok_or_else(Error::closed)?;
        // SAFETY: the library has opened the tag for us.
        let source = unsafe { Source::new(raw, self.client().clone()) };
        Ok(Settings { source })
    }
}

impl SettingsBuilder {
    /// Opens the settings. Reads return the cached settings, or the packaged settings if none are
    /// cached. Starts a refresh in the background, unless [`fetch_at_open`](Self::fetch_at_open) is
    /// `false`.
    ///
    /// The keys are the members of the dictionary. The version is the time at which this content was
    /// first fetched, in ms since 1970, or the previous version plus 1, whichever is higher.
    ///
    /// If settings with the same identity (URL, parameters, root key, tag and tag item) are open, the
    /// result is another handle of the same source, and the other options have no effect.
    ///
    /// Any thread; blocks for file system calls. The first refresh of a process loads libcurl and
    /// libcrypto.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`; for packaged data `Storage` (unreadable), `Parse`, `Format` or
    /// `TooLarge`; with `refresh_interval` or `on_event` `Unavailable` (no thread). This call reports
    /// neither a refresh that cannot start nor a damaged cache: see [`SourceInfo`](crate::SourceInfo).
    pub fn open(self) -> Result<Settings> {
        let source = self.open_source()?;
        Ok(Settings { source })
    }
}

impl Deref for Settings {
    type Target = Source;

    fn deref(&self) -> &Source {
        &self.source
    }
}
