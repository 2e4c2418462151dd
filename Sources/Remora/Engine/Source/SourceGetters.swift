// SPDX-License-Identifier: Apache-2.0
//
// The getters of a source for the C API: reads of single values from the live snapshot. A getter returns nil where the
// caller's default takes effect, and logs the reason. Each first starts the polling for updates by other processes,
// if needed. No allocation, lock or reference count on success, except for URLs.

/// The reads of a source by key and JSON Pointer. A front end keeps it inside its handle of the source.
package struct SourceGetters: ~Copyable, Sendable {
  private let cell: LiveCell
  private let source: Source

  package init(_ source: Source) {
    cell = source.cell
    self.source = source
  }

  /// How often the live snapshot was replaced; see `LiveCell.changeCount`.
  package var changeCount: Int64 {
    startPollingIfNeeded()
    return cell.changeCount
  }

  package func bool(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Bool? {
    read(key, pointer, "a boolean") { cell.bool(key, pointer) }
  }

  package func int(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Int64? {
    read(key, pointer, "an integer") { cell.int(key, pointer) }
  }

  package func double(_ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?) -> Double? {
    read(key, pointer, "a number") { cell.double(key, pointer) }
  }

  /// Calls `body` with the string; nil if there is none. `body` must be quick.
  package func string(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer) -> Int
  ) -> Int? {
    read(key, pointer, "a string") { cell.string(key, pointer) { $0.map(body) } }
  }

  /// Calls `body` with the URL; nil if there is none. `body` must be quick.
  package func url(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer) -> Int
  ) -> Int? {
    read(key, pointer, "a URL") { cell.url(key, pointer) { $0.map(body) } }
  }

  /// Calls `body` with the canonical JSON of the value; nil if the value is missing or null. `body` must be quick.
  package func json(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer) -> Int
  ) -> Int? {
    startPollingIfNeeded()
    var problem: RemoraError?
    let result = cell.value(key, pointer) { value -> Int? in
      guard let value, value.type != .null else { return nil }
      do throws(RemoraError) {
        return try value.withCanonicalText(body)
      } catch {
        problem = error
        return nil
      }
    }
    if let result { return result }
    noteFallback(key, pointer, "JSON", problem)
    return nil
  }

  /// Starts the polling if needed, and returns what `find` returns; if that is nil, logs that the value was not found.
  @inline(__always)
  func read<Result>(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ wanted: StaticString, _ find: () -> Result?
  ) -> Result? {
    startPollingIfNeeded()
    if let result = find() { return result }
    noteFallback(key, pointer, wanted)
    return nil
  }

  @inline(__always)
  func startPollingIfNeeded() {
    if cell.isNotPolling { source.startPollingIfNeeded() }
  }

  /// Logs that a read returns nil.
  @inline(never)
  func noteFallback(
    _ key: UnsafePointer<CChar>, _ pointer: UnsafePointer<CChar>?, _ wanted: StaticString,
    _ problem: RemoraError? = nil
  ) {
    source.noteFallback(key, pointer, wanted: wanted, problem)
  }
}
