// SPDX-License-Identifier: Apache-2.0

//! Iterators over items that the library finds by their positions.

/// Implements the iterators of a type with the fields `rest`, a range of positions, and `$owner`,
/// whose method `$at` finds an item.
macro_rules! iterate_by_position {
    ($name:ident: $item:ty, $owner:ident.$at:ident) => {
        impl<'s> Iterator for $name<'s> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.rest.next().and_then(|index| self.$owner.$at(index))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.rest.size_hint()
            }
        }

        impl DoubleEndedIterator for $name<'_> {
            fn next_back(&mut self) -> Option<Self::Item> {
                let index = self.rest.next_back();
                index.and_then(|index| self.$owner.$at(index))
            }
        }

        impl ExactSizeIterator for $name<'_> {}
    };
}
pub(crate) use iterate_by_position;
