// SPDX-License-Identifier: Apache-2.0

//! Section "handles" of `remora.h`.

use crate::*;

/// Owns storage, threads' work and sources.
#[repr(C)]
pub struct remora_client {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// A set of settings refreshed together.
#[repr(C)]
pub struct remora_source {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// One source at one version; immutable.
#[repr(C)]
pub struct remora_snapshot {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// A place in a source that is read often.
#[repr(C)]
pub struct remora_key {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// A registered event callback.
#[repr(C)]
pub struct remora_subscription {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The verified bytes of an attachment.
#[repr(C)]
pub struct remora_attachment {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// One asynchronous refresh, sync or opening.
#[repr(C)]
pub struct remora_request {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}
