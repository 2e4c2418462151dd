// SPDX-License-Identifier: Apache-2.0

//! A record's description of its attachment. Only the types of the members are checked here: the
//! library checks the rest when it opens the attachment.

use crate::error::{Error, Result};
use crate::snapshot::{Kind, Record, Value};

/// The hex digits of a SHA-256.
const HASH_DIGITS: usize = 64;

/// A record's description of its attachment, borrowed from its snapshot; see
/// [`Record::attachment`](crate::Record::attachment).
///
/// ```
/// fn describe(record: remora::Record<'_>) -> remora::Result<String> {
///     Ok(match record.attachment()? {
///         Some(attachment) => {
///             let kind = attachment.mimetype.unwrap_or("application/octet-stream");
///             format!("{}: {} bytes of {kind}", attachment.location, attachment.size)
///         }
///         None => "nothing attached".to_string(),
///     })
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AttachmentInfo<'s> {
    /// The name of the original file, if the record names it. Not checked: do not use it as a path.
    pub filename: Option<&'s str>,
    /// The media type, if the record names it.
    pub mimetype: Option<&'s str>,
    /// The path of the file below the server's base URL for attachments. Not checked: opening the
    /// attachment fails with `Format` if the path leads outside this URL.
    pub location: &'s str,
    /// The SHA-256: 64 hex digits, of either case.
    pub hash: &'s str,
    /// The number of bytes.
    pub size: u64,
}

impl<'s> AttachmentInfo<'s> {
    /// Reads the member "attachment" of a record.
    pub(crate) fn of(record: &str, attachment: Value<'s>) -> Result<Self> {
        let malformed = |member: &str, problem: &str| {
            Error::format(format!("{member} of record {record} {problem}"))
        };
        if attachment.kind() != Kind::Object {
            return Err(malformed("attachment", "is not an object"));
        }
        let text = |name| attachment.member(name).and_then(Value::as_str);
        let hash = text("hash").filter(|hash| is_sha256(hash)).ok_or_else(|| {
            malformed(
                "attachment.hash",
                "is not a SHA-256 of 64 hexadecimal digits",
            )
        })?;
        let size = attachment
            .member("size")
            .filter(|size| size.kind() == Kind::Int)
            .and_then(|size| u64::try_from(size.as_i64()?).ok())
            .ok_or_else(|| malformed("attachment.size", "is not a number of bytes"))?;
        let location =
            text("location").ok_or_else(|| malformed("attachment.location", "is not a string"))?;
        Ok(Self {
            filename: text("filename"),
            mimetype: text("mimetype"),
            location,
            hash,
            size,
        })
    }
}

impl<'s> Record<'s> {
    /// Returns the description of the record's attachment; `None` if the record has no attachment.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = format!(r#"{{"data": [{{"id": "icon", "last_modified": 7, "attachment": {{"filename":
    /// #     "i.svg", "mimetype": "image/svg+xml", "location": "ui/i.svg", "hash": "{}", "size": 12
    /// #     }}}}], "timestamp": 7}}"#, "ab".repeat(32));
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// if let Some(attachment) = snapshot.record("icon").unwrap().attachment()? {
    ///     assert_eq!((attachment.location, attachment.size), ("ui/i.svg", 12));
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Format`: the hash is not a SHA-256, the size is not a number of bytes, or the location is not
    /// a string. The message names the record and the member.
    pub fn attachment(self) -> Result<Option<AttachmentInfo<'s>>> {
        match self.get("attachment") {
            Some(value) if !value.is_null() => AttachmentInfo::of(self.id(), value).map(Some),
            _ => Ok(None),
        }
    }
}

fn is_sha256(hash: &str) -> bool {
    hash.len() == HASH_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
}
