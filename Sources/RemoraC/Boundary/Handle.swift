// SPDX-License-Identifier: Apache-2.0
//
// Handles: raw memory that owns a Swift value. C refers to a handle by its address. Only this file creates and frees
// handles. They are raw memory instead of retained objects, because hot reads must not touch a reference count.

internal import Synchronization

/// Exports a value to C as a handle. `consume` frees the handle.
func export<Content: ~Copyable>(_ content: consuming Content) -> OpaquePointer {
  let memory = UnsafeMutablePointer<Content>.allocate(capacity: 1)
  memory.initialize(to: content)
  return OpaquePointer(memory)
}

/// Returns a pointer to the content of a handle. The type must be that of the exported value, or of its first member.
@inline(__always)
func borrow<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) -> UnsafeMutablePointer<Content> {
  UnsafeMutablePointer(handle)
}

/// Frees a handle and returns its content.
func consume<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) -> Content {
  let memory = UnsafeMutablePointer<Content>(handle)
  let content = memory.move()
  memory.deallocate()
  return content
}

/// The memory of a handle with several owners. The content is the first member, so that `borrow` works as for any other
/// handle.
private struct Shared<Content: ~Copyable>: ~Copyable {
  let content: Content
  let owners = Atomic(1)
}

/// Exports a value to C as a handle that may have several owners. The new handle has one owner.
func exportShared<Content: ~Copyable>(_ content: consuming Content) -> OpaquePointer {
  export(Shared(content: content))
}

/// Adds an owner to a handle that `exportShared` created.
func retain<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) {
  borrow(handle, as: Shared<Content>.self).pointee.owners.add(1, ordering: .relaxed)
}

/// Removes an owner. Frees the handle if it was the last owner.
func release<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) {
  let left = borrow(handle, as: Shared<Content>.self).pointee.owners.subtract(1, ordering: .acquiringAndReleasing)
  if left.newValue == 0 { _ = consume(handle, as: Shared<Content>.self) }
}
