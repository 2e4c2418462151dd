// SPDX-License-Identifier: Apache-2.0

//! Closures as C callbacks. No panic crosses into C, neither of a call nor of a closure's drop.
//!
//! A closure is a box. The library owns the box from the call that receives it, even if that call
//! fails, and `free` drops the box exactly once. A closure that is called only during one call is
//! borrowed by the library instead. The library makes one call of a closure at a time.

use std::any::Any;
use std::mem;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

type Payload = Box<dyn Any + Send>;

/// The payload of a closure's panic, for the owner of the handle.
#[derive(Default)]
pub(crate) struct PanicSlot(Mutex<Option<Payload>>);

impl PanicSlot {
    pub(crate) fn take(&self) -> Option<Payload> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, payload: Payload) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
    }
}

impl Drop for PanicSlot {
    fn drop(&mut self) {
        if let Some(payload) = self.take() {
            contain(|| drop(payload));
        }
    }
}

/// A closure as the user data of a C callback.
pub(crate) struct Guarded<F> {
    closure: F,
    panic: Arc<PanicSlot>,
    has_panicked: bool,
}

impl<F: Send> Guarded<F> {
    /// Wraps a closure that is called only during one call. The caller owns the result, whose address
    /// is the `user_data`.
    pub(crate) fn new(closure: F, panic: Arc<PanicSlot>) -> Self {
        Self {
            closure,
            panic,
            has_panicked: false,
        }
    }

    /// Creates the user data of a callback; the library owns the user data.
    pub(crate) fn user_data(closure: F, panic: Arc<PanicSlot>) -> UserData {
        UserData {
            pointer: Box::into_raw(Box::new(Self::new(closure, panic))).cast(),
            free: Some(Self::free),
        }
    }

    /// Calls the closure, unless it has panicked before.
    ///
    /// # Safety
    /// `user_data` must point to a value of this type that was not freed, and no other call may run.
    pub(crate) unsafe fn call(user_data: *mut c_void, call: impl FnOnce(&mut F)) {
        // SAFETY: guaranteed by the caller.
        let guarded = unsafe { &mut *user_data.cast::<Self>() };
        if guarded.has_panicked {
            return;
        }
        let closure = &mut guarded.closure;
        // Asserted, because no code sees a state that a panic has left incomplete: the closure is not
        // called again, and data that it shares with other code has its own protection.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| call(closure))) {
            guarded.has_panicked = true;
            guarded.panic.put(payload);
        }
    }

    /// # Safety
    /// `user_data` must point to a value of this type, which no code uses any more.
    unsafe extern "C" fn free(user_data: *mut c_void) {
        // SAFETY: guaranteed by the caller.
        contain(|| drop(unsafe { Box::from_raw(user_data.cast::<Self>()) }));
    }
}

/// A closure that the library owns: the user data of a callback, and the function that frees them.
pub(crate) struct UserData {
    pub(crate) pointer: *mut c_void,
    pub(crate) free: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl UserData {
    /// The user data of a callback that is NULL.
    pub(crate) const NONE: Self = Self {
        pointer: ptr::null_mut(),
        free: None,
    };
}

/// A closure that is called at most once.
pub(crate) type Completion<T> = Option<Box<dyn FnOnce(T) + Send>>;

impl<T> Guarded<Completion<T>> {
    /// Calls the closure with the value that `result` returns.
    ///
    /// # Safety
    /// `user_data` must point to a value of this type that was not freed, and no other call may run.
    pub(crate) unsafe fn complete(user_data: *mut c_void, result: impl FnOnce() -> T) {
        let notify = |completion: &mut Completion<T>| {
            let result = result();
            if let Some(closure) = completion.take() {
                closure(result);
            }
        };
        // SAFETY: guaranteed by the caller.
        unsafe { Self::call(user_data, notify) };
    }
}

/// Runs a function and catches its panic, which the panic hook has already reported.
pub(crate) fn contain(call: impl FnOnce()) {
    // Asserted, because what `call` uses is dropped together with it.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
        if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            mem::forget(another);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PanicsWhenDropped;

    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }

    type Closure = Box<dyn FnMut() + Send>;

    #[test]
    fn a_closure_is_not_called_again_after_it_panicked() {
        let slot = Arc::new(PanicSlot::default());
        let calls = Arc::new(Mutex::new(0));
        let count = Arc::clone(&calls);
        let closure: Closure = Box::new(move || {
            *count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            panic!("once");
        });
        let data = Guarded::user_data(closure, Arc::clone(&slot));
        for _ in 0..3 {
            // SAFETY: made above, and called by this thread alone.
            unsafe { Guarded::<Closure>::call(data.pointer, |closure| closure()) };
        }
        // SAFETY: not used any more.
        unsafe { Guarded::<Closure>::free(data.pointer) };
        assert_eq!(*calls.lock().unwrap(), 1);
        assert_eq!(slot.take().unwrap().downcast_ref(), Some(&"once"));
        assert_eq!(Arc::strong_count(&calls), 1);
    }

    #[test]
    fn a_panic_while_a_closure_is_dropped_is_caught() {
        let trap = PanicsWhenDropped;
        let closure: Closure = Box::new(move || {
            let _ = &trap;
        });
        let data = Guarded::user_data(closure, Arc::default());
        // SAFETY: made above and not used any more.
        unsafe { Guarded::<Closure>::free(data.pointer) };
    }

    #[test]
    fn a_panic_while_the_payload_of_a_panic_is_dropped_is_caught() {
        contain(|| std::panic::panic_any(PanicsWhenDropped));
    }
}
