// SPDX-License-Identifier: Apache-2.0

//! The client: what owns storage, threads' work and sources.

use std::path::Path;
use std::sync::Arc;

use crate::bundle::BundleBuilder;
use crate::client_builder::ClientBuilder;
use crate::client_handle::ClientHandle;
use crate::collection::CollectionBuilder;
use crate::settings::SettingsBuilder;

/// Owns the storage directory and opens sources. Usually one per program.
///
/// Clones are the same client. It ends with [`close`](Self::close), or when the last clone and the
/// last source, subscription, request and iterator made from it are gone: each of them keeps its client
/// alive. The end waits as `close` does.
///
/// ```
/// # fn main() -> Result<(), remora::Error> {
/// let client = remora::Client::in_memory().build()?;
/// let source = client.collection("limits").open()?;
/// assert_eq!(source.get_int("uploads", "/per_day"), None);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) handle: Arc<ClientHandle>,
}

impl Client {
    /// Begins a client that keeps its data in a directory on a local file system.
    ///
    /// The directory is created (0700 less the umask, with its parents) when missing. Processes of
    /// one user may share it.
    pub fn builder(storage_dir: impl AsRef<Path>) -> ClientBuilder {
        ClientBuilder::new(storage_dir.as_ref())
    }

    /// Begins a client that keeps everything in memory and writes nothing.
    pub fn in_memory() -> ClientBuilder {
        ClientBuilder::new(Path::new(":memory:"))
    }

    /// Begins the opening of a collection of signed records; its keys are the records' ids.
    ///
    /// `name` is `[A-Za-z0-9_-]{1,128}`, not starting with `-`; it is checked by
    /// [`open`](CollectionBuilder::open).
    pub fn collection(&self, name: impl Into<String>) -> CollectionBuilder {
        CollectionBuilder::new(self.clone(), name.into())
    }

    /// Begins the opening of a bundle, a versioned JSON document of namespaces; its keys are the
    /// namespaces.
    ///
    /// `url` is http or https, without user name, password and fragment; without a scheme it gets
    /// https. With `None` a bundle is its defaults and overrides, and nothing is fetched. It is
    /// checked by [`open`](BundleBuilder::open).
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// let source = client
    ///     .bundle("https://settings.example/bundle.json")
    ///     .default_bundle(r#"[{"namespace": "app", "networkConfiguration": {"endpoint": "https://c.example"}}]"#)
    ///     .fetch_at_open(false)
    ///     .open()?;
    /// let endpoint = source.get_string("app", "/networkConfiguration/endpoint");
    /// assert_eq!(endpoint.as_deref(), Some("https://c.example"));
    /// # Ok(()) }
    /// ```
    pub fn bundle<'u>(&self, url: impl Into<Option<&'u str>>) -> BundleBuilder {
        BundleBuilder::new(self.clone(), url.into().map(str::to_string))
    }

    /// Begins the opening of settings, a JSON dictionary of keys and values.
    ///
    /// `url` is http or https, perhaps with a query, without user name, password and fragment;
    /// without a scheme it gets https, and `None` is the library's default. It is checked by
    /// [`open`](SettingsBuilder::open).
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// let settings = client
    ///     .settings("https://settings.example/api")
    ///     .param("user", "42")
    ///     .packaged_data(r#"{"dark_mode": true}"#)
    ///     .fetch_at_open(false)
    ///     .open()?;
    /// assert_eq!(settings.get_bool("dark_mode", None), Some(true));
    /// # Ok(()) }
    /// ```
    pub fn settings<'u>(&self, url: impl Into<Option<&'u str>>) -> SettingsBuilder {
        SettingsBuilder::new(self.clone(), url.into().map(str::to_string))
    }

    /// Ends the client, whoever else holds it: requests end within 200 ms, who waits is answered
    /// [`Closed`](crate::ErrorKind::Closed), no callback begins afterwards, and every closure is
    /// dropped.
    ///
    /// Clones and sources answer `Closed` from then on, and getters of sources `None`; snapshots
    /// go on reading. Any thread. Blocks for up to 200 ms, and for a closure of this client that is
    /// running on another thread. Inside one of its closures it returns at once and takes effect
    /// when that closure returns. While another thread is inside [`dispatch`](Self::dispatch),
    /// [`sync`](Self::sync) or opens a source, the end comes when that call returns.
    pub fn close(self) {
        self.handle.close();
    }
}
