// SPDX-License-Identifier: Apache-2.0

//! The options that identify settings.

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::{defaults, Texts};
use crate::opening::Identity;

/// The options that identify a settings source; the type parameter of its [`Seed`](crate::Seed).
#[derive(Clone)]
pub struct SettingsIdentity {
    pub(crate) url: Option<String>,
    pub(crate) params: Vec<String>,
    pub(crate) root_key: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) tag_item: Option<String>,
}

impl SettingsIdentity {
    pub(crate) fn new(url: Option<String>) -> Self {
        Self {
            url,
            params: Vec::new(),
            root_key: None,
            tag: None,
            tag_item: None,
        }
    }
}

impl Identity for SettingsIdentity {
    type Options = sys::remora_settings_options;

    fn options(&self, texts: &mut Texts) -> Result<Self::Options> {
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut options = unsafe { defaults::<sys::remora_settings_options>() };
        options.url = texts.option(&self.url, "url")?;
        options.request_params = texts.array(&self.params, "param")?;
        options.root_key = texts.option(&self.root_key, "root_key")?;
        options.tag = texts.option(&self.tag, "tag")?;
        options.tag_item = texts.option(&self.tag_item, "tag_item")?;
        Ok(options)
    }

    fn own(options: &Self::Options, seed: &mut sys::remora_seed_options) {
        seed.settings = options;
    }
}

/// The methods of these options, for a type that has a `SettingsIdentity` in a field.
macro_rules! settings_identity {
    ($($field:ident).+) => {
        /// Adds a parameter, such as the user or the segment, to the query of every request. Settings
        /// with different parameters are different sources, with separate caches.
        pub fn param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.$($field).+.params.extend([name.into(), value.into()]);
            self
        }

        /// Sets the member of the document that contains the dictionary. Default: the document is the
        /// dictionary.
        pub fn root_key(mut self, key: impl Into<String>) -> Self {
            self.$($field).+.root_key = Some(key.into());
            self
        }

        /// Selects an additional dictionary at the URL, with its own cache, instead of the main one.
        pub fn tag(mut self, tag: impl Into<String>) -> Self {
            self.$($field).+.tag = Some(tag.into());
            self
        }

        /// Sets the query item that names the tag; default "tag".
        pub fn tag_item(mut self, name: impl Into<String>) -> Self {
            self.$($field).+.tag_item = Some(name.into());
            self
        }
    };
}
pub(crate) use settings_identity;
