// SPDX-License-Identifier: Apache-2.0

//! The crate with the real library, against a server of our own on loopback. Nothing sleeps:
//! every wait is for a condition, with a deadline.

mod attempts;
mod changes;
mod closures;
mod context;
mod dispatch;
mod fork;
mod lifecycle;
mod options;
mod refresh;
mod snapshots;
mod sources;
mod subscriptions;
mod support;
mod sync;
mod sync_async;
mod waits;
