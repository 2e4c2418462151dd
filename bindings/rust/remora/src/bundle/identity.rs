// SPDX-License-Identifier: Apache-2.0

//! The options that identify a bundle.

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::{defaults, Texts};
use crate::opening::Identity;

/// The method of a bundle's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// A GET. The default.
    Get,
    /// A POST with an empty body.
    Post,
}

/// The options that identify a bundle; the type parameter of its [`Seed`](crate::Seed).
#[derive(Clone)]
pub struct BundleIdentity {
    pub(crate) url: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) method: Method,
    pub(crate) accepted_schema: Option<String>,
}

impl BundleIdentity {
    pub(crate) fn new(url: Option<String>) -> Self {
        Self {
            url,
            name: None,
            method: Method::Get,
            accepted_schema: None,
        }
    }
}

impl Identity for BundleIdentity {
    type Options = sys::remora_bundle_options;

    fn options(&self, texts: &mut Texts) -> Result<Self::Options> {
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut options = unsafe { defaults::<sys::remora_bundle_options>() };
        options.url = texts.option(&self.url, "url")?;
        options.name = texts.option(&self.name, "name")?;
        options.method = match self.method {
            Method::Get => sys::REMORA_METHOD_GET,
            Method::Post => sys::REMORA_METHOD_POST,
        };
        options.accepted_schema = texts.option(&self.accepted_schema, "accepted_schema")?;
        Ok(options)
    }

    fn own(options: &Self::Options, seed: &mut sys::remora_seed_options) {
        seed.bundle = options;
    }
}

/// The methods of these options, for a type that has a `BundleIdentity` in a field.
macro_rules! bundle_identity {
    ($($field:ident).+) => {
        /// Sets a name that distinguishes bundles with the same URL, or without a URL; default "".
        pub fn name(mut self, name: impl Into<String>) -> Self {
            self.$($field).+.name = Some(name.into());
            self
        }

        /// Sets the method of the request; default [`Method::Get`](crate::Method::Get).
        pub fn method(mut self, method: crate::Method) -> Self {
            self.$($field).+.method = method;
            self
        }

        /// Sets the required beginning of `$schema` after `http://` or `https://`, up to and
        /// including the first number of the version. Default: the schema of the Snowplow trackers,
        /// version 1.
        pub fn accepted_schema(mut self, schema: impl Into<String>) -> Self {
            self.$($field).+.accepted_schema = Some(schema.into());
            self
        }
    };
}
pub(crate) use bundle_identity;
