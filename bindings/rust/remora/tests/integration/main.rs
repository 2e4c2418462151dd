// SPDX-License-Identifier: Apache-2.0

//! The crate with the real library, against a server of our own on loopback. Nothing sleeps:
//! every wait is for a condition, with a deadline.

mod activation;
mod attachment_files;
mod attachment_info;
mod attachment_limits;
mod attachments;
mod attachments_async;
mod attempts;
mod bundles;
mod changes;
mod closures;
mod context;
mod dispatch;
mod dumps;
mod experiments;
mod explanations;
mod fork;
mod freshness;
mod futures;
mod keys;
mod lifecycle;
mod modules;
mod namespaces;
mod openings;
mod options;
mod overrides;
mod preconnect;
mod records;
mod refresh;
mod rejection;
mod seeds;
mod settings;
mod snapshots;
mod sources;
mod subscriptions;
mod support;
mod sync;
mod sync_async;
mod tags;
mod testing;
mod waits;
mod waits_async;
