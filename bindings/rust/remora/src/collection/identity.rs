// SPDX-License-Identifier: Apache-2.0

//! The options that identify a collection.

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::{defaults, Texts};
use crate::opening::Identity;

/// Whether the data must be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trust {
    /// The signature and its certificate chain must be valid. The default.
    Required,
    /// Nothing is verified. Only for servers that do not sign.
    Off,
}

/// The options that identify a collection; the type parameter of its [`Seed`](crate::Seed).
#[derive(Clone)]
pub struct CollectionIdentity {
    pub(crate) name: String,
    pub(crate) server: Option<String>,
    pub(crate) bucket: Option<String>,
    pub(crate) trust: Trust,
    pub(crate) root_sha256: Option<String>,
    pub(crate) signer: Option<String>,
}

impl CollectionIdentity {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            server: None,
            bucket: None,
            trust: Trust::Required,
            root_sha256: None,
            signer: None,
        }
    }
}

impl Identity for CollectionIdentity {
    type Options = sys::remora_collection_options;

    fn options(&self, texts: &mut Texts) -> Result<Self::Options> {
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut options = unsafe { defaults::<sys::remora_collection_options>() };
        options.name = texts.text(&self.name, "name")?;
        options.server = texts.option(&self.server, "server")?;
        options.bucket = texts.option(&self.bucket, "bucket")?;
        options.trust = match self.trust {
            Trust::Required => sys::REMORA_TRUST_REQUIRED,
            Trust::Off => sys::REMORA_TRUST_OFF,
        };
        options.root_sha256 = texts.option(&self.root_sha256, "root_sha256")?;
        options.signer = texts.option(&self.signer, "signer")?;
        Ok(options)
    }

    fn own(options: &Self::Options, seed: &mut sys::remora_seed_options) {
        seed.collection = options;
    }
}

/// The methods of these options, for a type that has a `CollectionIdentity` in a field.
macro_rules! collection_identity {
    ($($field:ident).+) => {
        /// Sets the server, as in [`ClientBuilder::server`](crate::ClientBuilder::server); default:
        /// the client's.
        pub fn server(mut self, server: impl Into<String>) -> Self {
            self.$($field).+.server = Some(server.into());
            self
        }

        /// Sets the bucket; default: the client's.
        pub fn bucket(mut self, bucket: impl Into<String>) -> Self {
            self.$($field).+.bucket = Some(bucket.into());
            self
        }

        /// Sets whether the data must be signed; default [`Trust::Required`](crate::Trust::Required).
        pub fn trust(mut self, trust: crate::Trust) -> Self {
            self.$($field).+.trust = trust;
            self
        }

        /// Sets the SHA-256 of the root certificate (DER) in which the signer's chain must end: 64
        /// hex digits, colons allowed. Default: Mozilla's root certificate for the server.
        pub fn root_sha256(mut self, digest: impl Into<String>) -> Self {
            self.$($field).+.root_sha256 = Some(digest.into());
            self
        }

        /// Sets the DNS name that the leaf certificate must contain. Default: Mozilla's signer of
        /// the bucket.
        pub fn signer(mut self, name: impl Into<String>) -> Self {
            self.$($field).+.signer = Some(name.into());
            self
        }
    };
}
pub(crate) use collection_identity;
