// SPDX-License-Identifier: Apache-2.0

//! A deserializer over a value of a snapshot.

use remora::{Kind, Value};
use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::access::{next_of, Items, Pairs, Variant};
use crate::error::{Error, Result};

/// A value that serde reads.
pub(crate) struct Typed<'s>(pub(crate) Value<'s>);

/// Returns the content of a value whose kind is known.
fn content<T>(found: Option<T>) -> Result<T> {
    found.ok_or_else(|| Error::custom("the value cannot be read"))
}

/// Integers of each width: serde's visitors check the range.
macro_rules! deserialize_integers {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value> {
            match self.0.as_i64() {
                Some(number) => visitor.visit_i64(number),
                None => self.deserialize_any(visitor),
            }
        })*
    };
}

impl<'s> Deserializer<'s> for Typed<'s> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value> {
        match self.0.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool => visitor.visit_bool(content(self.0.as_bool())?),
            Kind::Int => visitor.visit_i64(content(self.0.as_i64())?),
            Kind::Double => visitor.visit_f64(content(self.0.as_f64())?),
            Kind::String => visitor.visit_borrowed_str(content(self.0.as_str())?),
            Kind::Array => {
                let mut items = Items::of(self.0);
                let made = visitor.visit_seq(&mut items)?;
                items.end().map(|()| made)
            }
            Kind::Object => visitor.visit_map(Pairs::of(self.0)),
            _ => Err(Error::custom("the value has a type of a newer library")),
        }
    }

    deserialize_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_i128 deserialize_u128
    }

    fn deserialize_f32<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value> {
        match (self.0.as_f64(), self.0.kind()) {
            (Some(number), _) => visitor.visit_f64(number),
            (None, Kind::Int) => {
                let expected = &"a number that is exactly a double";
                Err(Error::invalid_value(Unexpected::Signed(0), expected))
            }
            (None, _) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'s>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'s>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if let Some(name) = self.0.as_str() {
            let name: StrDeserializer<'_, Error> = name.into_deserializer();
            return visitor.visit_enum(name);
        }
        let mut members = self.0.members();
        match (next_of(&mut members)?, next_of(&mut members)?) {
            (Some((name, value)), None) => visitor.visit_enum(Variant { name, value }),
            _ => {
                let expected = "the name of a variant, or an object with one member";
                Err(Error::custom(format!("expected {expected}")))
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'s>>
        bool char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier
    }
}
