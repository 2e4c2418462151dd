// SPDX-License-Identifier: Apache-2.0
//
// Leaks values deliberately: after a fork, the child must not release what the parent's callers own; and at exit,
// releasing a value could call the host.

/// Takes ownership of a value and never releases it.
///
/// Does not create an array or a box of `Any`. In a forked child no type may be used for the first time, because
/// another thread of the parent may have held the Swift runtime's lock for it.
package func leak<Value>(_ value: consuming Value) {
  UnsafeMutablePointer<Value>.allocate(capacity: 1).initialize(to: value)
}
