// SPDX-License-Identifier: Apache-2.0

//! Remora: an embeddable client for remote settings.
//!
//! A program opens a *source*, reads its settings by key, refreshes them, and is notified of changes.
//! The last fetched version is stored, so that reads return it at the next start, and also while the
//! network fails. A fetched collection is verified before it is stored or readable.
//!
//! ```
//! use remora::{Client, Trust};
//!
//! # fn main() -> Result<(), remora::Error> {
//! // Usually Client::builder("/var/lib/host/remora"), which stores fetched data.
//! let client = Client::in_memory().application("host", "1.0").build()?;
//! let source = client
//!     .collection("limits")
//!     .trust(Trust::Off) // for a server that does not sign
//!     .packaged_data(r#"{"data": [{"id": "uploads", "last_modified": 1, "per_day": 20}], "timestamp": 1}"#)
//!     .open()?;
//!
//! // A read returns a value or `None`. It waits for no request, file or callback, except for the
//! // first read in a forked child.
//! assert_eq!(source.get_int("uploads", "/per_day").unwrap_or(10), 20);
//!
//! // A snapshot is one version of all keys; strings and values are borrowed from it.
//! let snapshot = source.snapshot()?;
//! for (key, value) in &snapshot {
//!     println!("{key} = {value:?}");
//! }
//! # Ok(()) }
//! ```
//!
//! Refreshing needs a server:
//!
//! ```no_run
//! # fn main() -> Result<(), remora::Error> {
//! use std::time::Duration;
//!
//! let client = remora::Client::builder("/var/lib/host/remora").build()?;
//! let source = client.collection("search-config-v2").open()?;
//! match source.refresh(Duration::from_secs(10)) {
//!     Ok(outcome) => println!("{outcome:?}"),
//!     Err(error) => eprintln!("{error}; continuing with the live data"),
//! }
//! # Ok(()) }
//! ```
//!
//! | to | use | it blocks |
//! |---|---|---|
//! | read one value now | [`Source::get_int`] and similar methods | no |
//! | read one value often | [`Source::key`], [`Key`] | no |
//! | read values that belong together | [`Source::snapshot`], [`Snapshot`], [`Value`] | no |
//! | read records with their ids and times | [`Snapshot::records`], [`Record`] | no |
//! | open the attachment of a record | [`Source::attachment`], [`AttachmentRequest`], [`Attachment`] | yes, except `open_async` |
//! | request newer settings | [`Source::refresh`], [`Source::wait`] | yes |
//! | request newer settings without waiting | [`Source::refresh_async`], [`Source::wait_async`], [`Source::prefetch`] | no |
//! | request newer settings in async code | [`Source::refresh_future`], [`Source::wait_future`], [`Client::sync_future`] | no |
//! | refresh all changed sources | [`Client::sync`], [`Client::sync_async`] | only `sync` |
//! | refresh in the background | [`CollectionBuilder::refresh_interval`] | no |
//! | replace a fetched value by your own | [`Source::set_override`] | for milliseconds |
//! | be notified of changes | [`Source::subscribe`], [`Source::changes`] | only the iterator |
//! | run closures in an event loop | [`Callbacks::OnDispatch`], [`Client::fd`], [`Client::dispatch`] | no |
//!
//! All functions may be called from any thread, from closures, and in a forked child. A panic of a
//! closure does not cross into the library, and the closure's data is not leaked. The repository's
//! `docs/rust.md` is the guide.
//!
//! The crate `remora-serde` reads values as types of the program and sets overrides from them. The
//! crate `remora-log` writes log lines to the crate `log`. The crate `remora-tokio` has streams of
//! changes, and runs closures in a task of tokio.

#![deny(missing_docs, missing_debug_implementations, unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

// The modules, from the bottom up: each uses only what is above it.
mod open_enum;
mod time;

mod error;

mod ffi;

pub mod testing;

mod client;
mod snapshot;

mod source;

mod events;
mod refresh;

mod attachments;
mod opening;

mod bundle;
mod collection;
mod settings;

mod seed;

mod debug;

// The client, which opens sources.
pub use client::{filter_matches, preconnect, version};
pub use client::{
    Attempt, Callbacks, Client, ClientBuilder, LogLevel, Outcome, Preconnect, SourceKind,
};

// Sources, by kind, and seeds, which an installer saves for their first opening.
pub use bundle::{BundleBuilder, BundleIdentity, Method, Namespace};
pub use collection::{CollectionBuilder, CollectionIdentity, Trust};
pub use seed::{Seed, SeedRequest};
pub use settings::{Experiment, Settings, SettingsBuilder, SettingsIdentity};
pub use source::{
    Activation, Explanation, Freshness, Json, Key, NewOverride, Override, Source, SourceInfo,
};

// Reading.
pub use attachments::{Attachment, AttachmentInfo, AttachmentRequest};
pub use snapshot::{Change, ChangeKind, Kind, Origin, Snapshot, SnapshotInfo, Value};
pub use snapshot::{Elements, Entries, Fields, Members, Record, Records};

// Refreshing.
pub use refresh::{Pending, RefreshOptions, Request, SyncItem, SyncReport};

// Events.
pub use events::{
    Cause, Changes, Configuration, Event, EventChange, SubscribeOptions, Subscription,
};

// Failures.
pub use error::{Error, ErrorKind, Family, Result};

/// The guide's programs are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/rust.md")]
struct Guide;

/// The program in the guide to publishing is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/publishing.md")]
struct PublishingGuide;
