// SPDX-License-Identifier: Apache-2.0
//
// The getters of a bound key, for all front ends. They return what is cached, and otherwise do the same as the getters
// of the source.

/// A key and a JSON Pointer of one source, with the values that were read there last. Safe on all threads.
package struct BoundKey: ~Copyable {
  private let cached: CachedKey
  private let getters: SourceGetters

  /// Binds a key; nil if memory has run out. `key` and `pointer` are copied.
  init?(_ source: Source, key: UnsafePointer<CChar>, pointer: UnsafePointer<CChar>?) {
    guard let cached = CachedKey(source.cell, key: key, pointer: pointer) else { return nil }
    self.cached = cached
    getters = SourceGetters(source)
  }

  package func bool() -> Bool? {
    if let value = cached.cachedBool { return value }
    return read("a boolean") { $0.readBool() }
  }

  package func int() -> Int64? {
    if let value = cached.cachedInt { return value }
    return read("an integer") { $0.readInt() }
  }

  package func double() -> Double? {
    if let value = cached.cachedDouble { return value }
    return read("a number") { $0.readDouble() }
  }

  /// Calls `body` with the string; nil if there is none. `body` must be quick.
  package func string(_ body: (UnsafeRawBufferPointer) -> Int) -> Int? {
    if let result = cached.cachedString(body) { return result }
    return read("a string") { $0.readString(body) }
  }

  /// Calls `body` with the URL, which is not cached; nil if there is none. `body` must be quick.
  package func url(_ body: (UnsafeRawBufferPointer) -> Int) -> Int? { getters.url(cached.key, cached.pointer, body) }

  /// Calls `body` with the canonical JSON of the value, which is not cached; nil if the value is missing or null.
  /// `body` must be quick.
  package func json(_ body: (UnsafeRawBufferPointer) -> Int) -> Int? { getters.json(cached.key, cached.pointer, body) }

  /// How often the value was found to have changed; see `CachedKey.countChanges`.
  package var changeCount: Int64 {
    if let count = cached.cachedChangeCount { return count }
    return countChanges()
  }

  @inline(never)
  private func countChanges() -> Int64 {
    getters.startPollingIfNeeded()
    return cached.countChanges()
  }

  /// Reads the live snapshot with `read`. If it returns nil, logs the reason.
  @inline(never)
  private func read<Result>(_ wanted: StaticString, _ read: (borrowing CachedKey) -> Result?) -> Result? {
    getters.read(cached.key, cached.pointer, wanted) { read(cached) }
  }
}
