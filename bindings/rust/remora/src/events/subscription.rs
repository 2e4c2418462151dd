// SPDX-License-Identifier: Apache-2.0

//! Subscriptions: closures that receive events.

use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::thread;

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::events::subscriber::{notify, EventClosure};
use crate::events::Event;
use crate::ffi::{with_option, Guarded, PanicSlot};
use crate::source::Source;

/// Options of a subscription.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SubscribeOptions {
    replay_current: bool,
}

impl SubscribeOptions {
    /// Sets whether the first event reports the current state, with the cause
    /// [`Opened`](crate::Cause::Opened). Default: false.
    #[must_use]
    pub fn replay_current(mut self, replay: bool) -> Self {
        self.replay_current = replay;
        self
    }
}

/// A subscription, which keeps its source open. Dropping this value ends the subscription.
///
/// The drop waits until the closure is not running, and the closure is not called again. But inside
/// a closure that Remora calls, the drop does not wait: a running call of the closure may end later.
#[must_use = "dropping this value ends the subscription"]
pub struct Subscription {
    raw: NonNull<sys::remora_subscription>,
    panic: Arc<PanicSlot>,
    /// Released after the subscription.
    _source: Source,
}

// SAFETY: every function of the library may be called from any thread, and the handle is released
// when no thread uses it any more; the closure behind it is `Send`.
unsafe impl Send for Subscription {}
// SAFETY: as above; no method accepts a shared reference.
unsafe impl Sync for Subscription {}

impl Subscription {
    /// Ends the subscription, as dropping it does, and returns whether the closure has panicked.
    ///
    /// Any thread, also in a closure that Remora calls. Blocks while the closure is running on another thread.
    ///
    /// # Errors
    /// The payload of the panic, after which the closure was not called again.
    pub fn end(self) -> thread::Result<()> {
        let panic = Arc::clone(&self.panic);
        drop(self);
        match panic.take() {
            Some(payload) => Err(payload),
            None => Ok(()),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and this is its last use.
        unsafe { sys::remora_unsubscribe(self.raw.as_ptr()) };
    }
}

impl Source {
    /// Registers a closure for events of the source, or for changes of one key.
    ///
    /// With `None`, the closure is called after every refresh (except if the refresh is cancelled
    /// or has the outcome `Nothing`), and after every other change. With a key, the closure is
    /// called when the value of this key has changed. While the closure runs, successive queued
    /// events that report new live data merge if they have the same cause and outcome: the merged
    /// event has the old snapshot of the first event and the new snapshot of the last.
    ///
    /// The closure runs on the client's thread "remora-events", or inside [`Client::dispatch`], one
    /// call at a time per client. The closure may call everything, and may end its subscription or
    /// close the client. After a panic it is not called again, and [`Subscription::end`] returns
    /// the payload.
    ///
    /// Any thread, also in a closure that Remora calls. Does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// let subscription = source.subscribe("uploads", |event| {
    ///     for change in event.changes() {
    ///         println!("{} is now {:?}", change.key(), change.new_value());
    ///     }
    /// })?;
    /// // … until the changes are not needed any more:
    /// drop(subscription);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` (the key is empty, too long or contains a NUL), `Closed`, `Unavailable` (no
    /// thread).
    ///
    /// [`Client::dispatch`]: crate::Client::dispatch
    pub fn subscribe<'k>(
        &self,
        key: impl Into<Option<&'k str>>,
        closure: impl FnMut(&Event<'_>) + Send + 'static,
    ) -> Result<Subscription> {
        self.subscribe_with(key, &SubscribeOptions::default(), closure)
    }

    /// Registers a closure like [`subscribe`](Self::subscribe), with options.
    ///
    /// # Errors
    /// As `subscribe`.
    pub fn subscribe_with<'k>(
        &self,
        key: impl Into<Option<&'k str>>,
        options: &SubscribeOptions,
        closure: impl FnMut(&Event<'_>) + Send + 'static,
    ) -> Result<Subscription> {
        let closure: EventClosure = Box::new(closure);
        let panic = Arc::new(PanicSlot::default());
        let flags = if options.replay_current {
            sys::REMORA_SUBSCRIBE_REPLAY
        } else {
            0
        };
        let mut raw = ptr::null_mut();
        with_option(key.into(), "key", |key| {
            let closure = Guarded::user_data(closure, Arc::clone(&panic));
            // SAFETY: the source lives as long as `self`, the key during the call; the
            // closure is the library's from here on, also when it fails.
            check(|error| unsafe {
                sys::remora_subscribe(
                    self.as_ptr(),
                    key,
                    flags,
                    Some(notify),
                    closure.pointer,
                    closure.free,
                    &mut raw,
                    error,
                )
            })
        })?;
        Ok(Subscription {
            raw: NonNull::new(raw).ok_or_else(Error::closed)?,
            panic,
            _source: self.clone(),
        })
    }
}
