// SPDX-License-Identifier: Apache-2.0
//
// Keeping things for ever: what a fork leaves in the child belongs to the parent's callers, and what is left at exit
// would call the host when it is let go.

/// Takes a value and never lets it go.
///
/// Makes no array or box of `Any`: in a forked child no type may be used for the first time, because another thread of
/// the parent may have held the Swift runtime's lock for it.
package func leak<Value>(_ value: consuming Value) {
  UnsafeMutablePointer<Value>.allocate(capacity: 1).initialize(to: value)
}
