// SPDX-License-Identifier: Apache-2.0

//! The parts of a value: elements, members, and the content of an enum's variant.

use std::iter::Enumerate;

use remora::{Elements, Members, Value};
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};

use crate::error::{Error, Result};
use crate::value::Typed;

/// Returns the next item; fails if the iterator ends before its length is 0, because the stored file
/// was damaged or changed while in use.
pub(crate) fn next_of<I: ExactSizeIterator>(rest: &mut I) -> Result<Option<I::Item>> {
    let count = rest.len();
    match rest.next() {
        None if count > 0 => Err(Error::custom("the rest of the value cannot be read")),
        item => Ok(item),
    }
}

/// The elements of an array.
pub(crate) struct Items<'s> {
    count: usize,
    rest: Enumerate<Elements<'s>>,
}

impl<'s> Items<'s> {
    pub(crate) fn of(array: Value<'s>) -> Self {
        Self {
            count: array.len(),
            rest: array.elements().enumerate(),
        }
    }

    /// Fails if the type has read fewer elements than the array has.
    pub(crate) fn end(self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            rest => {
                let expected = format!("an array of {} elements", self.count - rest);
                Err(Error::invalid_length(self.count, &expected.as_str()))
            }
        }
    }
}

impl<'s> SeqAccess<'s> for Items<'s> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'s>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let (index, element) = match next_of(&mut self.rest)? {
            Some(next) => next,
            None => return Ok(None),
        };
        let made = seed.deserialize(Typed(element));
        made.map(Some)
            .map_err(|error| error.inside(&index.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The members of an object.
pub(crate) struct Pairs<'s> {
    rest: Members<'s>,
    member: Option<(&'s str, Value<'s>)>,
}

impl<'s> Pairs<'s> {
    pub(crate) fn of(object: Value<'s>) -> Self {
        Self {
            rest: object.members(),
            member: None,
        }
    }
}

impl<'s> MapAccess<'s> for Pairs<'s> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'s>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.member = next_of(&mut self.rest)?;
        let read = |(name, _)| seed.deserialize(BorrowedStrDeserializer::new(name));
        self.member.map(read).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'s>>(&mut self, seed: V) -> Result<V::Value> {
        let (name, value) = self
            .member
            .ok_or_else(|| Error::custom("a member's value was read before its name"))?;
        let made = seed.deserialize(Typed(value));
        made.map_err(|error: Error| error.inside(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A variant that has content: an object with one member.
pub(crate) struct Variant<'s> {
    pub(crate) name: &'s str,
    pub(crate) value: Value<'s>,
}

impl<'s> EnumAccess<'s> for Variant<'s> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'s>>(self, seed: V) -> Result<(V::Value, Self)> {
        let name: StrDeserializer<'_, Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'s> Variant<'s> {
    fn read<T>(self, read: impl FnOnce(Typed<'s>) -> Result<T>) -> Result<T> {
        read(Typed(self.value)).map_err(|error| error.inside(self.name))
    }
}

impl<'s> VariantAccess<'s> for Variant<'s> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        self.read(<()>::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'s>>(self, seed: T) -> Result<T::Value> {
        self.read(|value| seed.deserialize(value))
    }

    fn tuple_variant<V: Visitor<'s>>(self, length: usize, visitor: V) -> Result<V::Value> {
        self.read(|value| value.deserialize_tuple(length, visitor))
    }

    fn struct_variant<V: Visitor<'s>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.read(|value| value.deserialize_struct("", fields, visitor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Damaged;

    impl Iterator for Damaged {
        type Item = i32;

        fn next(&mut self) -> Option<i32> {
            None
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            (1, Some(1))
        }
    }

    impl ExactSizeIterator for Damaged {}

    #[test]
    fn an_iterator_that_ends_early_is_an_error_and_not_the_end_of_the_value() {
        assert!(next_of(&mut Damaged).is_err());
        let mut whole = [7].into_iter();
        assert_eq!(next_of(&mut whole).unwrap(), Some(7));
        assert_eq!(next_of(&mut whole).unwrap(), None);
    }
}
