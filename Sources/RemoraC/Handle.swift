// SPDX-License-Identifier: Apache-2.0
//
// Handles: raw memory that owns a Swift value, known to C by its address. The only file that makes and ends them.
// Raw memory instead of retained objects, because the hot reads must not touch a reference count.

internal import Synchronization

/// Exports a value to C as a handle. `consume` ends the handle.
func export<Content: ~Copyable>(_ content: consuming Content) -> OpaquePointer {
  let memory = UnsafeMutablePointer<Content>.allocate(capacity: 1)
  memory.initialize(to: content)
  return OpaquePointer(memory)
}

/// Looks at what a handle owns; the type is the one that it was exported with.
@inline(__always)
func borrow<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) -> UnsafeMutablePointer<Content> {
  UnsafeMutablePointer(handle)
}

/// Ends a handle and returns the value that it owned.
func consume<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) -> Content {
  let memory = UnsafeMutablePointer<Content>(handle)
  let content = memory.move()
  memory.deallocate()
  return content
}

/// What a handle with several owners owns. The content comes first, so that `borrow` finds it as in any other handle.
private struct Shared<Content: ~Copyable>: ~Copyable {
  let content: Content
  let owners = Atomic(1)
}

/// Exports a value to C as a handle that may have several owners, and has one now.
func exportShared<Content: ~Copyable>(_ content: consuming Content) -> OpaquePointer {
  export(Shared(content: content))
}

/// Adds an owner to what `exportShared` made.
func retain<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) {
  borrow(handle, as: Shared<Content>.self).pointee.owners.add(1, ordering: .relaxed)
}

/// Removes an owner; the last one ends the handle.
func release<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) {
  let left = borrow(handle, as: Shared<Content>.self).pointee.owners.subtract(1, ordering: .acquiringAndReleasing)
  if left.newValue == 0 { _ = consume(handle, as: Shared<Content>.self) }
}
