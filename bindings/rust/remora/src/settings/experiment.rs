// SPDX-License-Identifier: Apache-2.0

//! A/B experiments of settings.

use remora_sys as sys;

use crate::error::{check, Result};
use crate::events::Event;
use crate::ffi::{collect, copy_out, defaults, slice_of_pointers, with_text};
use crate::snapshot::{RawValue, Snapshot, Value};
use crate::source::Source;

/// An A/B experiment of settings, and the variant that the server chose; see
/// [`Snapshot::experiments`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Experiment {
    /// The name of the experiment.
    pub name: String,
    /// The variant that the server chose; empty if the server sent no variant.
    pub variant: String,
    /// A number for your analytics, which Remora does not interpret; 0 if the server sent no number.
    pub trackable: f64,
    /// The keys that the experiment affects, if the server lists them.
    pub settings: Vec<String>,
}

impl Experiment {
    /// # Safety
    /// The pointers of `raw` must be valid during the call.
    unsafe fn from_raw(raw: &sys::remora_experiment) -> Self {
        // SAFETY: guaranteed by the caller, and the texts have these lengths.
        let (name, variant, settings) = unsafe {
            (
                copy_out(raw.name, raw.name_length),
                copy_out(raw.variant, raw.variant_length),
                Value::present(RawValue(raw.settings)),
            )
        };
        let keys = settings.into_iter().flat_map(Value::elements);
        Self {
            name,
            variant,
            trackable: raw.trackable,
            settings: keys
                .filter_map(|key| Some(key.as_str()?.to_string()))
                .collect(),
        }
    }
}

impl Snapshot {
    /// Returns the A/B experiment with this name; `None` if it does not exist. Does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client
    /// #     .settings(None)
    /// #     .fetch_at_open(false)
    /// #     .packaged_data(r#"{"experiments": [{"name": "paint", "variant": "v1"}]}"#)
    /// #     .open()?;
    /// let paint = source.snapshot()?.experiment("paint");
    /// assert_eq!(paint.map(|one| one.variant).as_deref(), Some("v1"));
    /// # Ok(()) }
    /// ```
    pub fn experiment(&self, name: &str) -> Option<Experiment> {
        // SAFETY: zero bytes are an experiment of NULLs and zeros.
        let mut found = unsafe { defaults::<sys::remora_experiment>() };
        with_text(name, "name", |name| {
            // SAFETY: the snapshot lives as long as `self`, the name during the call.
            check(|error| unsafe {
                sys::remora_experiment_find(self.as_ptr(), name, &mut found, error)
            })
        })
        .ok()?;
        // SAFETY: the pointers of `found` are valid as long as the snapshot.
        Some(unsafe { Experiment::from_raw(&found) })
    }

    /// Returns the A/B experiments of settings, in the order of the document. Does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client
    /// #     .settings(None)
    /// #     .fetch_at_open(false)
    /// #     .packaged_data(r#"{"experiments": [{"name": "paint", "variant": "v1", "settings": ["brush"]}]}"#)
    /// #     .open()?;
    /// let snapshot = source.snapshot()?;
    /// let paint = &snapshot.experiments()[0];
    /// assert_eq!((&*paint.name, &*paint.variant), ("paint", "v1"));
    /// assert_eq!(paint.settings, ["brush"]);
    /// # Ok(()) }
    /// ```
    pub fn experiments(&self) -> Vec<Experiment> {
        // SAFETY: the pointers of an entry are valid as long as the entry.
        let copy = |raw: &_| unsafe { Experiment::from_raw(raw) };
        collect(copy, |step, user_data| {
            // SAFETY: the snapshot lives as long as `self`.
            check(|error| unsafe {
                sys::remora_experiment_foreach(self.as_ptr(), step, user_data, error)
            })
        })
        .unwrap_or_default() // It cannot fail.
    }
}

impl Source {
    /// Returns the A/B experiment with this name in the live settings; `None` if it does not exist, or
    /// if the client is closed. Does not block.
    pub fn experiment(&self, name: &str) -> Option<Experiment> {
        self.snapshot().ok()?.experiment(name)
    }

    /// Returns the A/B experiments of the live settings, as [`Snapshot::experiments`].
    ///
    /// # Errors
    /// `Closed`.
    pub fn experiments(&self) -> Result<Vec<Experiment>> {
        Ok(self.snapshot()?.experiments())
    }
}

impl Event<'_> {
    /// Returns the A/B experiments that became live, or whose variant has changed. Each experiment
    /// is reported once, in only one process. Empty for a subscriber of a key.
    pub fn new_experiments(&self) -> Vec<Experiment> {
        let raw = self.raw();
        // SAFETY: the array has this number of experiments, which live as long as the event.
        let reported = unsafe { slice_of_pointers(raw.new_experiments, raw.new_experiment_count) };
        // SAFETY: the pointers of an experiment are valid as long as the event.
        let copy = |raw: &&sys::remora_experiment| unsafe { Experiment::from_raw(raw) };
        reported.iter().map(copy).collect()
    }
}
