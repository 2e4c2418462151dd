// SPDX-License-Identifier: Apache-2.0

//! What a program sets while a client is open: the headers of its requests, and the context, the
//! application's attributes that filters read.

use remora_sys as sys;

use crate::client::version::require;
use crate::client::Client;
use crate::error::{check, Result};
use crate::ffi::{with_option, with_text, Texts};

impl Client {
    /// Replaces the headers of the requests that start from now on. Each header is a name and a
    /// value; an empty slice removes all.
    ///
    /// Use this method when a token was renewed. Running requests keep their headers. If a server
    /// has refused the earlier headers with HTTP status 401 or 403 and asked for a pause, the pause
    /// ends. Any thread, including in a closure; does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// let client = remora::Client::in_memory().build()?;
    /// client.set_headers(&[("Authorization", "Bearer renewed")])?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` (the headers do not change), `Closed`.
    pub fn set_headers(&self, headers: &[(&str, &str)]) -> Result<()> {
        let lines: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let mut texts = Texts::default();
        let array = texts.array(&lines, "header")?;
        self.handle.visit(|client| {
            // SAFETY: the client lives during the visit, the texts during the call.
            check(|error| unsafe { sys::remora_set_headers(client, array, error) })
        })
    }

    /// Sets the context, the application's attributes that filters read: the text of a JSON object,
    /// or `None` for no attributes.
    ///
    /// Records whose `filter_expression` is not true in this context are hidden from reads,
    /// snapshots and events. The members `app_id`, `app_version`, `channel`, `locale`, `country`,
    /// `form_factor`, `os` and `os_version` are strings, and `preferences` is an object. Filters
    /// read any other member as `env.<name>`; see `docs/filters.md` in the repository.
    ///
    /// When the call returns, all open sources have been filtered again. Subscribers are notified
    /// of changes, with the cause [`Context`](crate::Cause::Context). Sends no request. Any thread,
    /// including in a closure. Blocks for a running job of the thread `remora-engine`, and for the
    /// filters.
    ///
    /// ```
    /// # use remora::{Client, Trust};
    /// # fn main() -> Result<(), remora::Error> {
    /// let client = Client::in_memory().build()?;
    /// let source = client
    ///     .collection("offers")
    ///     .trust(Trust::Off)
    ///     .packaged_data(
    ///         r#"{"data": [{"id": "de", "last_modified": 1, "filter_expression": "env.locale == 'de'"}],
    ///             "timestamp": 1}"#,
    ///     )
    ///     .open()?;
    /// assert_eq!(source.snapshot()?.len(), 0);
    /// client.set_context(r#"{"locale": "de"}"#)?;
    /// assert_eq!(source.snapshot()?.len(), 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` (not a valid object; the context does not change), `Closed`.
    pub fn set_context<'j>(&self, context_json: impl Into<Option<&'j str>>) -> Result<()> {
        self.handle.visit(|client| {
            with_option(context_json.into(), "context_json", |context| {
                // SAFETY: the client lives during the visit, the text during the call.
                check(|error| unsafe { sys::remora_set_context(client, context, error) })
            })
        })
    }
}

/// Returns whether a filter expression is true in a context. Use it for a decision per request or
/// user, such as the rule of a feature flag.
///
/// As for filters of records, the expression matches if its result is the boolean true, or if the
/// expression is blank. The context is the text of a JSON object, as for [`Client::set_context`].
/// `None` is the context of a client before any `set_context`.
///
/// Needs no client. Any thread; does not block.
///
/// ```
/// # fn main() -> Result<(), remora::Error> {
/// assert!(remora::filter_matches("env.plan == 'pro'", r#"{"plan": "pro"}"#)?);
/// # Ok(()) }
/// ```
///
/// # Errors
/// `InvalidArgument` (the expression has more than 16 KiB or cannot be evaluated, or the context is not
/// a valid object), `Unavailable` (the library is older than this crate or of another major version).
pub fn filter_matches<'j>(
    expression: &str,
    context_json: impl Into<Option<&'j str>>,
) -> Result<bool> {
    require()?;
    let mut matches = 0;
    with_text(expression, "expression", |expression| {
        with_option(context_json.into(), "context_json", |context| {
            // SAFETY: the texts and the result live during the call.
            check(|error| unsafe {
                sys::remora_filter_matches(expression, context, &mut matches, error)
            })
        })
    })?;
    Ok(matches != 0)
}
