// SPDX-License-Identifier: Apache-2.0

//! Iterators over items that the library finds by their positions.

/// Implements the iterators of a type with the fields `rest`, a range of positions, and `$owner`,
/// whose method `$at` finds an item.
///
/// The items of a damaged file may be unreadable: `$at` returns `None`. The first of them ends the
/// iterator. Then `rest` is empty, so that the length is 0, and no later call returns an item.
macro_rules! iterate_by_position {
    ($name:ident: $item:ty, $owner:ident.$at:ident) => {
        impl<'s> $name<'s> {
            fn item(&mut self, index: usize) -> Option<$item> {
                let item = self.$owner.$at(index);
                if item.is_none() {
                    self.rest = 0..0;
                }
                item
            }
        }

        impl<'s> Iterator for $name<'s> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                let index = self.rest.next()?;
                self.item(index)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.rest.size_hint()
            }
        }

        impl DoubleEndedIterator for $name<'_> {
            fn next_back(&mut self) -> Option<Self::Item> {
                let index = self.rest.next_back()?;
                self.item(index)
            }
        }

        impl ExactSizeIterator for $name<'_> {}
    };
}
pub(crate) use iterate_by_position;
