// SPDX-License-Identifier: Apache-2.0

//! An iterator over changes, which a subscription reports.

use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::events::{Event, Subscription};
use crate::snapshot::{Change, Snapshot};
use crate::source::Source;

/// The changes of a source or of one of its keys, the oldest first; see [`Source::changes`].
///
/// When the client is closed, the iterator returns the changes that were reported before, and ends.
#[must_use = "changes are delivered only while this value is kept"]
pub struct Changes {
    key: Option<String>,
    /// The changes that were taken out of the mailbox, and not yet returned.
    ready: VecDeque<Change>,
    mailbox: Arc<Mailbox>,
    _subscription: Subscription,
}

/// The data that the closure passes to the iterator: two snapshots, after any number of events.
#[derive(Default)]
struct Mailbox {
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Default)]
struct State {
    /// The live snapshot at the last call of the iterator, and the current one; `None` if they are
    /// the same.
    unread: Option<(Snapshot, Snapshot)>,
    is_closed: bool,
    /// The waker of the task that polls, if any.
    waker: Option<Waker>,
}

/// The closure's end of the mailbox; dropped with the closure.
struct Feed(Arc<Mailbox>);

impl Source {
    /// Returns an iterator over the changes of the source, or of one key, from now on. The iterator
    /// blocks until the next change; this call does not block.
    ///
    /// Changes of a key that were not received yet are merged. So the iterator keeps at most three
    /// snapshots, and a value that was changed back is not reported. With
    /// [`Callbacks::OnDispatch`](crate::Callbacks), changes arrive only during
    /// [`Client::dispatch`](crate::Client::dispatch). Any thread.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// for change in source.changes(None)? {
    ///     println!("{:?} {}", change.kind(), change.key());
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`subscribe`](Self::subscribe).
    pub fn changes<'k>(&self, key: impl Into<Option<&'k str>>) -> Result<Changes> {
        let key = key.into();
        let mailbox = Arc::new(Mailbox::default());
        let feed = Feed(Arc::clone(&mailbox));
        let subscription = self.subscribe(key, move |event| feed.put(event))?;
        let (key, ready) = (key.map(str::to_string), VecDeque::new());
        Ok(Changes {
            key,
            ready,
            mailbox,
            _subscription: subscription,
        })
    }
}

impl Changes {
    /// Returns the next change. Blocks for at most `timeout`.
    ///
    /// # Errors
    /// `Timeout` if no change arrives in time; `Disconnected` if the client is closed.
    pub fn recv_timeout(
        &mut self,
        timeout: Duration,
    ) -> std::result::Result<Change, RecvTimeoutError> {
        // Without a limit if the clock cannot represent the deadline.
        let deadline = Instant::now().checked_add(timeout);
        self.receive(|mailbox, state| mailbox.wait(state, deadline))
            .unwrap_or(Err(RecvTimeoutError::Disconnected))
    }

    /// Returns the next change that has already arrived. Does not block.
    ///
    /// # Errors
    /// `Empty` if no change has arrived; `Disconnected` if the client is closed.
    pub fn try_recv(&mut self) -> std::result::Result<Change, TryRecvError> {
        self.receive(|_, _| Err(TryRecvError::Empty))
            .unwrap_or(Err(TryRecvError::Disconnected))
    }

    /// Returns the next change, like a stream; `None` if the client is closed. If no change has
    /// arrived, returns `Pending`, and wakes the task of `context` when a change may have arrived.
    /// Does not block. The crate `remora-tokio` implements `Stream` with this method.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Change>> {
        let waker = context.waker();
        let received = self.receive(|_, mut state| {
            let earlier = state.waker.replace(waker.clone());
            drop(state);
            drop(earlier);
            Err(())
        });
        match received {
            Some(Err(())) => Poll::Pending,
            Some(Ok(change)) => Poll::Ready(Some(change)),
            None => Poll::Ready(None),
        }
    }

    /// Returns the next change; `None` if the client is closed. Calls `wait` until a change has
    /// arrived, or until `wait` returns an error.
    fn receive<E>(
        &mut self,
        wait: impl for<'m> Fn(
            &'m Mailbox,
            MutexGuard<'m, State>,
        ) -> std::result::Result<MutexGuard<'m, State>, E>,
    ) -> Option<std::result::Result<Change, E>> {
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Some(Ok(change));
            }
            let mut state = self.mailbox.lock();
            let (old, new) = loop {
                if let Some(unread) = state.unread.take() {
                    break unread;
                }
                if state.is_closed {
                    return None;
                }
                state = match wait(&self.mailbox, state) {
                    Ok(state) => state,
                    Err(gave_up) => return Some(Err(gave_up)),
                };
            };
            drop(state);
            match &self.key {
                Some(key) => self.ready.extend(new.diff_key(&old, key)),
                None => self.ready.extend(new.diff(&old)),
            }
        }
    }
}

impl Iterator for Changes {
    type Item = Change;

    /// Waits for the next change, and returns it; `None` if the client is closed.
    fn next(&mut self) -> Option<Change> {
        let next = self.receive(|mailbox, state| mailbox.wait(state, None));
        next.and_then(std::result::Result::ok)
    }
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the receiver.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        self.filled.notify_one();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits until the mailbox may have changed, or until the deadline, if any.
    fn wait<'m>(
        &'m self,
        state: MutexGuard<'m, State>,
        deadline: Option<Instant>,
    ) -> std::result::Result<MutexGuard<'m, State>, RecvTimeoutError> {
        let left = match deadline {
            Some(deadline) => deadline
                .checked_duration_since(Instant::now())
                .ok_or(RecvTimeoutError::Timeout)?,
            None => Duration::MAX,
        };
        let waited = self.filled.wait_timeout(state, left);
        Ok(waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

impl Feed {
    fn put(&self, event: &Event<'_>) {
        if event.changes().len() == 0 {
            return;
        }
        self.0.change(|state| {
            let old = match state.unread.take() {
                Some((old, _)) => old,
                None => event.old_snapshot(),
            };
            state.unread = Some((old, event.new_snapshot()));
        });
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.0.change(|state| state.is_closed = true);
    }
}
