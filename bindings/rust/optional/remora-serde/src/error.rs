// SPDX-License-Identifier: Apache-2.0

//! Failures of conversions. Their texts name the place, but never a value.

use std::fmt::{self, Display};

use remora::ErrorKind;
use serde::de::{self, Expected, Unexpected};

/// The result of a conversion.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure of a read, a conversion or an override.
///
/// The text names the place and the expected type, and contains no value, unless a `Deserialize` or
/// `Serialize` implementation of the program writes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    place: String,
    message: String,
}

impl Error {
    /// Returns the kind: `WrongType` if the value does not fit the type, `InvalidArgument` if a
    /// value cannot be written as JSON, otherwise the kind of the library's error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the place of the failure: the key, if the value was read by key, and the JSON Pointer
    /// (RFC 6901) to the part that does not fit. Empty for the library's errors.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the message without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn unwritable(error: serde_json::Error) -> Self {
        Self {
            kind: ErrorKind::InvalidArgument,
            place: String::new(),
            message: format!("the value cannot be written as JSON: {error}"),
        }
    }

    /// Adds the member or the element that the failing part is in.
    pub(crate) fn inside(self, name: &str) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        self.below(&format!("/{name}"))
    }

    /// Adds the place that the value was read from.
    pub(crate) fn below(mut self, place: &str) -> Self {
        self.place.insert_str(0, place);
        self
    }
}

impl From<remora::Error> for Error {
    fn from(error: remora::Error) -> Self {
        Self {
            kind: error.kind(),
            place: String::new(),
            message: error.message().to_string(),
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Replaces functions of serde whose default messages contain the value.
impl de::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self {
            kind: ErrorKind::WrongType,
            place: String::new(),
            message: message.to_string(),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format!(
            "invalid type: {}, expected {expected}",
            name(found)
        ))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format!(
            "invalid value: {}, expected {expected}",
            name(found)
        ))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format!("unknown variant, expected one of {expected:?}"))
    }
}

/// Returns the name of the type that was found.
fn name(found: Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "integer",
        Unexpected::Float(_) => "floating point number",
        Unexpected::Char(_) | Unexpected::Str(_) => "string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq | Unexpected::Bytes(_) => "array",
        Unexpected::Map => "object",
        _ => "another form of enum",
    }
}
