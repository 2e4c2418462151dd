// SPDX-License-Identifier: Apache-2.0

//! Whose seed it is: the options that make up a source's identity, as the library takes them.

use remora_sys as sys;

use crate::bundle::Method;
use crate::collection::Trust;
use crate::defaults::defaults;
use crate::error::Result;
use crate::text::{address, option_text, TextArray};

/// What a host opens later.
#[derive(Clone)]
pub(crate) enum SeedSource {
    Settings(Settings),
    Bundle(Bundle),
    Collection(Collection),
}

#[derive(Clone)]
pub(crate) struct Settings {
    pub url: String,
    pub params: Vec<String>,
    pub root_key: Option<String>,
    pub tag: Option<String>,
    pub tag_item: Option<String>,
}

#[derive(Clone)]
pub(crate) struct Bundle {
    pub url: String,
    pub name: Option<String>,
    pub method: Method,
    pub accepted_schema: Option<String>,
}

#[derive(Clone)]
pub(crate) struct Collection {
    pub name: String,
    pub trust: Trust,
    pub root_sha256: Option<String>,
    pub signer: Option<String>,
}

impl SeedSource {
    /// Calls with the options of the seed; what they point to lives during the call.
    pub fn with_options<T>(
        &self,
        call: impl FnOnce(sys::remora_seed_options) -> Result<T>,
    ) -> Result<T> {
        let text =
            |text: &Option<String>, name| option_text(text.as_deref().map(str::as_bytes), name);
        let required = |text: &String, name| option_text(Some(text.as_bytes()), name);
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut seed = unsafe { defaults(sys::remora_seed_options_init) };
        match self {
            Self::Settings(source) => {
                let url = required(&source.url, "url")?;
                let params = TextArray::new(&source.params, "param")?;
                let root_key = text(&source.root_key, "root_key")?;
                let tag = text(&source.tag, "tag")?;
                let tag_item = text(&source.tag_item, "tag_item")?;
                // SAFETY: as above.
                let mut options = unsafe { defaults(sys::remora_settings_options_init) };
                options.url = address(&url);
                options.request_params = params.as_ptr();
                options.root_key = address(&root_key);
                options.tag = address(&tag);
                options.tag_item = address(&tag_item);
                seed.settings = &options;
                call(seed)
            }
            Self::Bundle(source) => {
                let url = required(&source.url, "url")?;
                let name = text(&source.name, "name")?;
                let accepted_schema = text(&source.accepted_schema, "accepted_schema")?;
                // SAFETY: as above.
                let mut options = unsafe { defaults(sys::remora_bundle_options_init) };
                options.url = address(&url);
                options.name = address(&name);
                options.method = match source.method {
                    Method::Get => sys::REMORA_METHOD_GET,
                    Method::Post => sys::REMORA_METHOD_POST,
                };
                options.accepted_schema = address(&accepted_schema);
                seed.bundle = &options;
                call(seed)
            }
            Self::Collection(source) => {
                let name = required(&source.name, "collection")?;
                let root_sha256 = text(&source.root_sha256, "root_sha256")?;
                let signer = text(&source.signer, "signer")?;
                // SAFETY: as above.
                let mut options = unsafe { defaults(sys::remora_collection_options_init) };
                options.collection = address(&name);
                options.trust = match source.trust {
                    Trust::Required => sys::REMORA_TRUST_REQUIRED,
                    Trust::Off => sys::REMORA_TRUST_OFF,
                };
                options.root_sha256 = address(&root_sha256);
                options.signer = address(&signer);
                seed.collection = &options;
                call(seed)
            }
        }
    }
}
