// SPDX-License-Identifier: Apache-2.0

//! What a record says of its attachment.

use crate::error::{Error, Result};
use crate::snapshot::{Kind, Record, Value};

/// The hex digits of a SHA-256.
const HASH_DIGITS: usize = 64;

/// What a record says of its attachment, borrowed from its snapshot; see
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
    /// The name that its file had, if it is told. Not checked: do not use it as a path.
    pub filename: Option<&'s str>,
    /// Its media type, if it is told.
    pub mimetype: Option<&'s str>,
    /// Where the server has it: a relative path that leads nowhere else.
    pub location: &'s str,
    /// Its SHA-256: 64 hex digits, of either case.
    pub hash: &'s str,
    /// Its bytes.
    pub size: u64,
}

impl<'s> AttachmentInfo<'s> {
    /// What the member "attachment" of a record says, held to the rules by which the library opens
    /// it.
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
        if let Some(problem) = problem_of(location) {
            return Err(malformed("attachment.location", problem));
        }
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
    /// What it says of its attachment; `None` when it has none.
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
    /// `Format`: what it says cannot be right. The sentence names the record and the member.
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

/// Why a location cannot be used, if it cannot: it has to lead to a place below the server's
/// attachments, whoever decodes it.
fn problem_of(location: &str) -> Option<&'static str> {
    if location.is_empty() {
        return Some("is empty");
    }
    if location.contains(['?', '#']) {
        return Some("has a query or a fragment");
    }
    if location.split('/').next()?.contains(':') {
        return Some("is a whole URL");
    }
    let decoded = match percent_decoded(location) {
        Some(decoded) => decoded,
        None => return Some("has a % that begins no escape"),
    };
    if decoded
        .iter()
        .any(|byte| byte.is_ascii_control() || *byte == b'\\')
    {
        return Some("has a backslash or a control character");
    }
    if decoded.starts_with(b"/") {
        return Some("begins with a slash");
    }
    let mut segments = decoded.split(|byte| *byte == b'/');
    let climbs = segments.any(|segment| matches!(segment, b"." | b".."));
    climbs.then_some("climbs out of its place")
}

/// The bytes that a text stands for as a part of a URL; `None` when an escape is malformed.
fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.as_bytes().split(|byte| *byte == b'%');
    let mut decoded = parts.next()?.to_vec();
    for part in parts {
        let digit = |index| (*part.get(index)? as char).to_digit(16);
        decoded.push(u8::try_from(digit(0)? << 4 | digit(1)?).ok()?);
        decoded.extend_from_slice(&part[2..]);
    }
    Some(decoded)
}
