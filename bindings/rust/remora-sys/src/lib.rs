// SPDX-License-Identifier: Apache-2.0

//! Declarations of `remora.h`, and nothing else: every function, structure, callback type and
//! constant, one module per section of the header. The header is the truth about ownership,
//! threads and lifetimes; the crate `remora` is the safe way to use them.
//!
//! `Tests/Bindings` of the repository compares names, types, layouts and values with the header. Constants that are
//! texts in C end with a NUL here too.
//!
//! The build script finds the library in the directory named by `REMORA_LIB_DIR`, else by
//! pkg-config.

#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(non_camel_case_types)]

use std::marker::{PhantomData, PhantomPinned};
use std::os::raw::{c_char, c_void};

mod activation;
mod attachments;
mod bundles;
mod context;
mod events;
mod get;
mod handles;
mod host_loop;
mod keys;
mod lifecycle;
mod overrides;
mod preconnect;
mod refresh;
mod seeds;
mod settings;
mod snapshots;
mod sources;
mod status;
mod subscribe;
mod sync;
mod transport;
mod values;
mod version;

pub use activation::*;
pub use attachments::*;
pub use bundles::*;
pub use context::*;
pub use events::*;
pub use get::*;
pub use handles::*;
pub use host_loop::*;
pub use keys::*;
pub use lifecycle::*;
pub use overrides::*;
pub use preconnect::*;
pub use refresh::*;
pub use seeds::*;
pub use settings::*;
pub use snapshots::*;
pub use sources::*;
pub use status::*;
pub use subscribe::*;
pub use sync::*;
pub use transport::*;
pub use values::*;
pub use version::*;
