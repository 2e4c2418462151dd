// SPDX-License-Identifier: Apache-2.0

//! A typed JSON value inside a snapshot.

use std::fmt;
use std::marker::PhantomData;
use std::ptr;

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::{text_out, with_text, written};
use crate::snapshot::Kind;

/// The two words of a value, whose snapshot is kept alive elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct RawValue(pub(crate) sys::remora_value);

// SAFETY: the data of a snapshot, to which a value points, never changes.
unsafe impl Send for RawValue {}
// SAFETY: as above.
unsafe impl Sync for RawValue {}

impl RawValue {
    pub(crate) const EMPTY: Self = Self(sys::remora_value {
        node: ptr::null(),
        region: ptr::null(),
    });
}

/// A typed JSON value, borrowed from its snapshot. Copying it copies two machine words.
///
/// Reads never block. They return `None` if the value does not exist or has another type.
#[derive(Clone, Copy)]
pub struct Value<'s> {
    raw: RawValue,
    snapshot: PhantomData<&'s ()>,
}

impl<'s> Value<'s> {
    /// # Safety
    /// The snapshot of the value must live as long as `'s`.
    pub(crate) unsafe fn new(raw: RawValue) -> Self {
        Self {
            raw,
            snapshot: PhantomData,
        }
    }

    /// Creates a value like `new`; `None` for the empty value.
    ///
    /// # Safety
    /// The snapshot of the value must live as long as `'s`.
    pub(crate) unsafe fn present(raw: RawValue) -> Option<Self> {
        // SAFETY: any value has a type; the rest guaranteed by the caller.
        let is_there = unsafe { sys::remora_value_type(raw.0) } != sys::REMORA_TYPE_NONE;
        // SAFETY: guaranteed by the caller.
        is_there.then(|| unsafe { Self::new(raw) })
    }

    pub(crate) fn raw(self) -> sys::remora_value {
        self.raw.0
    }

    /// Returns the type of the value.
    pub fn kind(self) -> Kind {
        // SAFETY: the value lives as long as `'s`.
        Kind::from_raw(unsafe { sys::remora_value_type(self.raw()) })
    }

    /// Returns whether the value is JSON null.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns the value if it is a boolean, otherwise `None`.
    pub fn as_bool(self) -> Option<bool> {
        // SAFETY: the value lives as long as `'s`.
        let number = read(0, |number| unsafe {
            sys::remora_value_get_bool(self.raw(), number, ptr::null_mut())
        })?;
        Some(number != 0)
    }

    /// Returns an integer, or a double that is exactly a 64-bit integer; otherwise `None`.
    pub fn as_i64(self) -> Option<i64> {
        // SAFETY: the value lives as long as `'s`.
        read(0, |number| unsafe {
            sys::remora_value_get_int(self.raw(), number, ptr::null_mut())
        })
    }

    /// Returns a double, or an integer that an `f64` represents exactly; otherwise `None`.
    pub fn as_f64(self) -> Option<f64> {
        // SAFETY: the value lives as long as `'s`.
        read(0.0, |number| unsafe {
            sys::remora_value_get_double(self.raw(), number, ptr::null_mut())
        })
    }

    /// Returns the value if it is a string, without a copy; otherwise `None`. The string may
    /// contain U+0000.
    pub fn as_str(self) -> Option<&'s str> {
        let mut length = 0;
        // SAFETY: the value lives as long as `'s`.
        let start = read(ptr::null(), |start| unsafe {
            sys::remora_value_get_string(self.raw(), start, &mut length, ptr::null_mut())
        })?;
        // SAFETY: the string lives as long as the value.
        unsafe { text_out(start, length) }
    }

    /// Returns the number of elements of an array or members of an object; 0 for anything else.
    pub fn len(self) -> usize {
        // SAFETY: the value lives as long as `'s`.
        unsafe { sys::remora_value_count(self.raw()) }
    }

    /// Returns whether the value has neither elements nor members.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the member `name`, which may be null, of an object. `None` if the object has no such
    /// member, or if this value is not an object.
    pub fn member(self, name: &str) -> Option<Value<'s>> {
        let find = |name| {
            // SAFETY: the value lives as long as `'s`, the name during the call.
            Ok(self.find(|value| unsafe {
                sys::remora_value_member(self.raw(), name, value, ptr::null_mut())
            }))
        };
        with_text(name, "name", find).ok()?
    }

    /// Returns the element of an array at an index, counted from 0; the element may be null. `None`
    /// if the index is too large, or if this value is not an array.
    pub fn element(self, index: usize) -> Option<Value<'s>> {
        if self.kind() != Kind::Array {
            return None;
        }
        let none = ptr::null_mut();
        // SAFETY: the value lives as long as `'s`.
        self.find(|value| unsafe {
            sys::remora_value_item(
                self.raw(),
                index,
                none,
                ptr::null_mut(),
                value,
                ptr::null_mut(),
            )
        })
    }

    /// Returns the part at a JSON Pointer (RFC 6901), which may be null; `""` is the value itself.
    /// `None` if the part does not exist, or the pointer is malformed.
    pub fn at(self, pointer: &str) -> Option<Value<'s>> {
        let find = |pointer| {
            // SAFETY: the value lives as long as `'s`, the pointer during the call.
            Ok(self.find(|value| unsafe {
                sys::remora_value_resolve(self.raw(), pointer, value, ptr::null_mut())
            }))
        };
        with_text(pointer, "pointer", find).ok()?
    }

    /// Returns canonical JSON text, as [`Snapshot::to_json`](crate::Snapshot::to_json).
    ///
    /// A value has no `Display`, which could not report an error. `Debug` writes the text for logs.
    ///
    /// # Errors
    /// `Corrupt` (the stored file was damaged or changed while in use).
    pub fn to_json(self) -> Result<String> {
        // SAFETY: the value lives as long as `'s`, and the buffer has that size.
        written(|buffer, size, length, error| unsafe {
            sys::remora_value_get_json(self.raw(), buffer, size, length, error)
        })
    }

    fn find(
        self,
        call: impl FnOnce(&mut sys::remora_value) -> sys::remora_status,
    ) -> Option<Value<'s>> {
        let found = read(RawValue::EMPTY.0, call)?;
        // SAFETY: the parts of a value live as long as the value.
        Some(unsafe { Self::new(RawValue(found)) })
    }
}

/// Runs `call` with an output that is initially `empty`. Returns the output; `None` if `call` fails.
fn read<T>(empty: T, call: impl FnOnce(&mut T) -> sys::remora_status) -> Option<T> {
    let mut found = empty;
    (call(&mut found) == sys::REMORA_OK).then_some(found)
}

impl fmt::Debug for Value<'_> {
    /// Writes canonical JSON text, or the error in angle brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_json() {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}
