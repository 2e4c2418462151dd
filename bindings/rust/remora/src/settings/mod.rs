// SPDX-License-Identifier: Apache-2.0

//! Settings that are open, and their tags.
//!
//! Equal openings share one source, so the tags are kept only to keep their sources open. The list
//! of tags only grows and has no lock: a child that was forked while another thread held a lock could
//! never take the lock, and with `try_lock` a tag would sometimes not be kept.

mod builder;
mod experiment;
mod identity;

pub use builder::SettingsBuilder;
pub use experiment::Experiment;
pub(crate) use identity::settings_identity;
pub use identity::SettingsIdentity;

use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;

use crate::error::Result;
use crate::source::Source;
use builder::Shared;

/// A dictionary of settings in the format of the PAPulse SDK (Picsart's client of remote settings),
/// with its tags (additional dictionaries). Dereferences to its [`Source`].
///
/// Clones are the same settings. Dropping the last clone closes the tags that [`tag`](Self::tag) has
/// opened, unless they have other clones.
#[derive(Clone)]
pub struct Settings {
    source: Source,
    tags: Arc<Tags>,
}

impl Settings {
    fn new(source: Source, shared: Shared) -> Self {
        let first = AtomicPtr::new(ptr::null_mut());
        let tags = Arc::new(Tags { shared, first });
        Self { source, tags }
    }

    /// Opens the dictionary of a tag, whose new versions are live at once.
    ///
    /// The tag has the URL, parameters, root key, tag item, lifetime and storage options of these
    /// settings, and stays open until the settings are dropped. To close a tag earlier, open it with
    /// [`SettingsBuilder::tag`](crate::SettingsBuilder::tag) instead. `tag` has 1 to 256 bytes.
    /// Sends no request. Any thread; the first call for a tag blocks for file system calls.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let settings = client.settings("http://127.0.0.1:9/").fetch_at_open(false).open()?;
    /// let editor = settings.tag("editor")?;
    /// editor.prefetch()?; // Returns at once.
    /// assert_eq!(editor.get_int("brush", None).unwrap_or(3), 3); // The live value.
    /// # Ok(()) }
    /// ```
    pub fn tag(&self, tag: &str) -> Result<Settings> {
        self.tags.shared.require_open()?;
        match self.tags.find(tag) {
            Some(settings) => Ok(settings.clone()),
            None => self.tags.open(tag),
        }
    }
}

impl SettingsBuilder {
    /// Opens the settings. The cached settings are live, or the packaged ones if none are cached.
    /// Starts a refresh in the background, unless [`fetch_at_open`](Self::fetch_at_open) is `false`.
    ///
    /// The keys are the members of the dictionary. The version is the time at which this content was
    /// first fetched, in ms since 1970.
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
        let shared = self.shared.clone();
        Ok(Settings::new(self.open_source()?, shared))
    }
}

impl Deref for Settings {
    type Target = Source;

    fn deref(&self) -> &Source {
        &self.source
    }
}

struct Tags {
    shared: Shared,
    /// The newest tag, which links to the older ones. All tags are freed with this list.
    first: AtomicPtr<Tag>,
}

struct Tag {
    name: String,
    settings: Settings,
    next: *mut Tag,
}

impl Tags {
    fn find(&self, name: &str) -> Option<&Settings> {
        let mut next: *const Tag = self.first.load(Ordering::Acquire);
        // SAFETY: NULL, or in the list: its items neither change nor are freed before `self` is.
        while let Some(tag) = unsafe { next.as_ref() } {
            if tag.name == name {
                return Some(&tag.settings);
            }
            next = tag.next;
        }
        None
    }

    fn open(&self, name: &str) -> Result<Settings> {
        let builder = SettingsBuilder::with(self.shared.clone()).tag(name);
        let settings = builder.refresh_interval(None).fetch_at_open(false).open()?;
        let tag = Box::leak(Box::new(Tag {
            name: name.to_string(),
            settings: settings.clone(),
            next: ptr::null_mut(),
        }));
        // Another thread may have added the same tag: that is one more handle of one source.
        let _ = self
            .first
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |first| {
                tag.next = first;
                Some(&mut *tag)
            });
        Ok(settings)
    }
}

impl Drop for Tags {
    fn drop(&mut self) {
        let mut next = *self.first.get_mut();
        while !next.is_null() {
            // SAFETY: `open` leaked the tag, and no other code uses the list any more.
            let tag = unsafe { Box::from_raw(next) };
            next = tag.next;
        }
    }
}
