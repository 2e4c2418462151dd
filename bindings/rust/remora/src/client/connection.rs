// SPDX-License-Identifier: Apache-2.0

//! The connection options of clients and of [`preconnect`](crate::preconnect).

use std::path::PathBuf;

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::Texts;

#[derive(Clone, Default)]
pub(super) struct Connection {
    pub(super) proxy: Option<String>,
    pub(super) ca_file: Option<PathBuf>,
    pub(super) client_certificate: Option<(PathBuf, PathBuf)>,
    pub(super) user_agent: Option<String>,
    pub(super) connect_timeout_ms: i64,
    pub(super) total_timeout_ms: i64,
}

impl Connection {
    /// Sets the proxy, the files for TLS and the user agent in C.
    pub(super) fn fill(&self, config: &mut sys::remora_config, texts: &mut Texts) -> Result<()> {
        config.proxy = texts.option(&self.proxy, "proxy")?;
        config.ca_file = texts.option(&self.ca_file, "ca_file")?;
        config.user_agent = texts.option(&self.user_agent, "user agent")?;
        if let Some((certificate, key)) = &self.client_certificate {
            config.client_certificate_file = texts.text(certificate, "client_certificate_file")?;
            config.client_key_file = texts.text(key, "client_key_file")?;
        }
        Ok(())
    }
}

/// The methods of these options, for a type that has a `Connection` in a field. `$total` documents
/// `total_timeout`.
macro_rules! connection_options {
    ($field:ident, $total:literal) => {
        /// Sets a proxy's URL in libcurl's syntax. Default: no proxy; environment variables are not
        /// read.
        pub fn proxy(mut self, url: impl Into<String>) -> Self {
            self.$field.proxy = Some(url.into());
            self
        }

        /// Sets a PEM file of trusted root certificates for TLS; default: libcurl's.
        pub fn ca_file(mut self, path: impl Into<std::path::PathBuf>) -> Self {
            self.$field.ca_file = Some(path.into());
            self
        }

        /// Sets the PEM files, or one common file, of the certificate that identifies the client to
        /// the server of a source, and of its private key. Default: none. The files are read for
        /// each new connection, so that they can be replaced.
        pub fn client_certificate(
            mut self,
            certificate_file: impl Into<std::path::PathBuf>,
            key_file: impl Into<std::path::PathBuf>,
        ) -> Self {
            self.$field.client_certificate = Some((certificate_file.into(), key_file.into()));
            self
        }

        /// Replaces the default user agent.
        pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
            self.$field.user_agent = Some(user_agent.into());
            self
        }

        /// Sets the time limit for connecting to a server; default 10 s.
        pub fn connect_timeout(mut self, limit: impl Into<Option<std::time::Duration>>) -> Self {
            self.$field.connect_timeout_ms = $crate::time::limit(limit.into());
            self
        }

        #[doc = $total]
        pub fn total_timeout(mut self, limit: impl Into<Option<std::time::Duration>>) -> Self {
            self.$field.total_timeout_ms = $crate::time::limit(limit.into());
            self
        }
    };
}
pub(super) use connection_options;
