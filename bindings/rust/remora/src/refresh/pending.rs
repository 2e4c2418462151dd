// SPDX-License-Identifier: Apache-2.0

//! Asynchronous operations as futures, for any executor.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::error::{Error, Result};
use crate::refresh::Request;

/// The future of an operation that has been started. Dropping the future cancels the operation.
///
/// The operation starts before the future is polled. Any executor can run the future. With
/// [`Callbacks::OnDispatch`](crate::Callbacks), some task must call
/// [`Client::dispatch`](crate::Client::dispatch), for which the crate `remora-tokio` has a function.
/// If the client is closed first, the result is an error of the kind `Closed`.
#[must_use = "dropping this value cancels the operation"]
pub struct Pending<T> {
    slot: Arc<Slot<T>>,
    request: Option<Request>,
}

/// The result of an operation, set by its closure, and the waker of the waiting task.
struct Slot<T>(Mutex<(Option<Result<T>>, Option<Waker>)>);

/// Sets the result of an operation once. Dropping it without a result sets the error `Closed`.
pub(crate) struct Promise<T>(Option<Arc<Slot<T>>>);

impl<T> Pending<T> {
    /// Starts an operation whose closure sets the promise.
    pub(crate) fn begin(start: impl FnOnce(Promise<T>) -> Result<Request>) -> Self {
        let slot = Arc::new(Slot(Mutex::new((None, None))));
        let request = match start(Promise(Some(Arc::clone(&slot)))) {
            Ok(request) => Some(request),
            Err(error) => {
                slot.lock().0 = Some(Err(error));
                None
            }
        };
        Self { slot, request }
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T>;

    /// # Panics
    /// If the future has already returned its result.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let mut state = self.slot.lock();
        if let Some(result) = state.0.take() {
            drop(state);
            self.request = None;
            return Poll::Ready(result);
        }
        assert!(self.request.is_some(), "polled after it was ready");
        let earlier = state.1.replace(context.waker().clone());
        // Without the lock, because the drop of a waker can run code of the executor.
        drop(state);
        drop(earlier);
        Poll::Pending
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if let Some(request) = &self.request {
            request.cancel();
            let waker = self.slot.lock().1.take();
            drop(waker);
        }
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").finish_non_exhaustive()
    }
}

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, (Option<Result<T>>, Option<Waker>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Promise<T> {
    pub(crate) fn set(mut self, result: Result<T>) {
        self.put(result);
    }

    fn put(&mut self, result: Result<T>) {
        if let Some(slot) = self.0.take() {
            let mut state = slot.lock();
            state.0 = Some(result);
            let waker = state.1.take();
            drop(state);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        self.put(Err(Error::closed()));
    }
}
