// SPDX-License-Identifier: Apache-2.0

//! Declarations of `remora.h`, and nothing else: every function, structure, callback type and
//! constant. The comments of the header describe them. The crate `remora` is the safe API.
//!
//! `Tests/Bindings` of the repository compares names, types, layouts and values with the header.
//! Constants that are strings in C end with a NUL here too.

#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(non_camel_case_types)]

use std::marker::{PhantomData, PhantomPinned};
use std::os::raw::{c_char, c_void};

mod attachments;
mod bundles;
mod events;
mod explain;
mod get;
mod handles;
mod lifecycle;
mod overrides;
mod refresh;
mod settings;
mod snapshots;
mod sources;
mod status;
mod transport;
mod values;

pub use attachments::*;
pub use bundles::*;
pub use events::*;
pub use explain::*;
pub use get::*;
pub use handles::*;
pub use lifecycle::*;
pub use overrides::*;
pub use refresh::*;
pub use settings::*;
pub use snapshots::*;
pub use sources::*;
pub use status::*;
pub use transport::*;
pub use values::*;
