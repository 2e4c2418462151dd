// SPDX-License-Identifier: Apache-2.0

//! Remora: an embeddable client for remote settings.
//!
//! A host opens a *source*, reads its settings by key, refreshes them, and is told of changes. What
//! was fetched last is stored, so that a host starts with it and goes on with it when the network
//! fails. Everything fetched is verified before it is stored or readable.
//!
//! ```
//! use remora::{Client, Trust};
//!
//! # fn main() -> Result<(), remora::Error> {
//! // Usually Client::builder("/var/lib/host/remora"), which keeps what was fetched.
//! let client = Client::in_memory().application("host", "1.0").build()?;
//! let source = client
//!     .collection("limits")
//!     .trust(Trust::Off) // for a server that does not sign
//!     .packaged_data(r#"{"data": [{"id": "uploads", "last_modified": 1, "per_day": 20}], "timestamp": 1}"#)
//!     .open()?;
//!
//! // Reads never fail and never block.
//! assert_eq!(source.get_int("uploads", "/per_day").unwrap_or(10), 20);
//!
//! // A snapshot is one version of all keys; strings and values are borrowed from it.
//! let snapshot = source.snapshot()?;
//! for (key, value) in &snapshot {
//!     println!("{key} = {value}");
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
//!     Err(error) => eprintln!("{error}; going on with what is there"),
//! }
//! # Ok(()) }
//! ```
//!
//! | to | use | it blocks |
//! |---|---|---|
//! | read one value now | [`Source::get_int`] and its kin | no |
//! | read values that belong together | [`Source::snapshot`], [`Snapshot`], [`Value`] | no |
//! | read records with their ids and times | [`Snapshot::records`], [`Record`] | no |
//! | open what is attached to a record | [`Source::attachment`], [`AttachmentRequest`], [`Attachment`] | but for `open_async` |
//! | ask the server | [`Source::refresh`], [`Source::wait`] | yes |
//! | ask without waiting | [`Source::refresh_async`], [`Source::wait_async`], [`Source::prefetch`] | no |
//! | ask for all sources that moved | [`Client::sync`], [`Client::sync_async`] | the first |
//! | never ask | [`CollectionBuilder::refresh_interval`] | no |
//! | read values of your own in place of others | [`Source::set_override`] | moments |
//! | be told of changes | [`Source::subscribe`], [`Source::changes`] | the iterator |
//! | run closures in an event loop | [`Callbacks::OnDispatch`], [`Client::fd`], [`Client::dispatch`] | no |
//!
//! Everything may be used from any thread; closures may call everything. A forked child may read at
//! once and use everything else. No panic of a closure crosses into the library, and nothing a
//! closure owns is leaked. The repository's `docs/rust.md` is the guide.

#![deny(missing_docs, missing_debug_implementations, unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod activation;
mod attachment;
mod attachment_info;
mod attachment_open;
mod attachment_request;
mod attempt;
mod awaited;
mod awaited_read;
mod bundle;
mod bundle_identity;
mod change;
mod changes;
mod client;
mod client_builder;
mod client_handle;
mod codes;
mod collection;
mod collection_identity;
mod context;
mod debug;
mod defaults;
mod dispatch;
mod error;
mod error_kind;
mod event;
mod experiment;
mod get;
mod identity;
mod info;
mod log;
mod namespace;
mod open_enum;
mod open_source;
mod overrides;
mod preconnect;
mod record;
mod record_iter;
mod refresh;
mod request;
mod seed;
mod seed_request;
mod settings;
mod settings_identity;
mod settings_source;
mod snapshot;
mod snapshot_read;
mod source;
mod subscription;
mod sync;
mod sync_report;
mod text;
mod texts;
mod time;
mod trampoline;
mod value;
mod value_iter;
mod version;
mod wait_async;

pub use activation::Activation;
pub use attachment::Attachment;
pub use attachment_info::AttachmentInfo;
pub use attachment_request::AttachmentRequest;
pub use attempt::Attempt;
pub use awaited::{Awaited, Wait};
pub use bundle::{BundleBuilder, Method};
pub use bundle_identity::BundleIdentity;
pub use change::Change;
pub use changes::Changes;
pub use client::Client;
pub use client_builder::ClientBuilder;
pub use codes::{Cause, ChangeKind, Kind, Origin, Outcome};
pub use collection::{CollectionBuilder, Trust};
pub use collection_identity::CollectionIdentity;
pub use dispatch::Callbacks;
pub use error::{Error, Result};
pub use error_kind::{ErrorKind, Family};
pub use event::{Event, EventChange};
pub use experiment::Experiment;
pub use info::{SnapshotInfo, SourceInfo};
pub use log::LogLevel;
pub use namespace::Namespace;
pub use overrides::Override;
pub use preconnect::{preconnect, Preconnect};
pub use record::Record;
pub use record_iter::{Fields, Records};
pub use refresh::RefreshOptions;
pub use request::Request;
pub use seed::Seed;
pub use seed_request::SeedRequest;
pub use settings::SettingsBuilder;
pub use settings_identity::SettingsIdentity;
pub use settings_source::Settings;
pub use snapshot::{Entries, Snapshot};
pub use source::{Revision, Source};
pub use subscription::{SubscribeOptions, Subscription};
pub use sync_report::{SyncItem, SyncReport};
pub use value::Value;
pub use value_iter::{Elements, Members};
pub use version::version;

/// The guide's programs are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/rust.md")]
struct Guide;
