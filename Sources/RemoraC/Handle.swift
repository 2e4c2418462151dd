// SPDX-License-Identifier: Apache-2.0
//
// Handles: raw memory that owns a Swift value, known to C by its address. The only file that makes and ends them.
// Raw memory instead of retained objects, because the hot reads must not touch a reference count.

/// Gives a value to C; `consume` takes it back.
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

/// Ends a handle and takes back what it owned.
func consume<Content: ~Copyable>(_ handle: OpaquePointer, as: Content.Type) -> Content {
  let memory = UnsafeMutablePointer<Content>(handle)
  let content = memory.move()
  memory.deallocate()
  return content
}
