// SPDX-License-Identifier: Apache-2.0
//
// Bound keys: places in a source that a program reads often, with their cached values.

internal import Remora

/// A value of a source that is read often, such as per frame or packet; see `Source.bind`. Until another version
/// becomes live, a read of a boolean, a number or a string of at most 64 bytes needs no search. All functions may be
/// called on any thread, and never wait.
///
/// A bound key keeps its source open. After `close` of the source, reads return the last value. After `close` of the
/// client, reads return the default.
///
/// `@unchecked Sendable`: `bound` may be used on all threads, and no property changes.
public final class BoundKey: @unchecked Sendable {
  /// The source.
  public let source: Source
  /// The key.
  public let key: String
  /// The JSON Pointer into the value of the key; empty for the whole value.
  public let pointer: String
  private let bound: Remora.BoundKey

  fileprivate init(_ bound: consuming Remora.BoundKey, of source: Source, _ key: String, _ pointer: String) {
    self.bound = bound
    (self.source, self.key, self.pointer) = (source, key, pointer)
  }

  /// Returns the value if it is a boolean, otherwise `default`.
  public func bool(default: Bool) -> Bool {
    bound.bool() ?? `default`
  }

  /// Returns the value if it converts exactly to an integer, such as 3.0, otherwise `default`.
  public func int(default: Int) -> Int {
    bound.int().flatMap(Int.init(exactly:)) ?? `default`
  }

  /// Returns the value if it is exactly a double, otherwise `default`.
  public func double(default: Double) -> Double {
    bound.double() ?? `default`
  }

  /// Returns the value if it is a string, otherwise `default`.
  public func string(default: String) -> String { text { bound.string($0) } ?? `default` }

  /// Returns the value if it is a string with an absolute URI of any scheme, otherwise `default`. Not cached.
  public func url(default: String) -> String { text { bound.url($0) } ?? `default` }

  /// Returns the canonical JSON of the value, or `default` if the value is missing or null. Not cached.
  public func json(default: String) -> String { text { bound.json($0) } ?? `default` }

  /// A counter that increases when the value has changed since the counter was last read. Several changes between two
  /// reads count as one. While the counter stays the same, results that were computed from the value are still valid.
  public var changeCount: Int64 { bound.changeCount }

  /// Copies the text that `read` passes to its argument; nil if `read` returns nil.
  private func text(_ read: ((UnsafeRawBufferPointer) -> Int) -> Int?) -> String? {
    var text = ""
    let length = read { bytes in
      text = String(decoding: bytes, as: UTF8.self)
      return bytes.count
    }
    return length == nil ? nil : text
  }
}

extension Source {
  /// Binds a key: returns an object that caches one value of the source for frequent reads.
  ///
  ///     let banner = try settings.bind("features", "/banner")
  ///     while drawFrame(banner.bool(default: false)) {}
  ///
  /// - Parameters:
  ///   - key: The key, 1 to 65,535 bytes without U+0000. The source need not have the key yet.
  ///   - pointer: JSON Pointer (RFC 6901) into the value; empty for the whole value.
  /// - Throws: `.invalidArgument` for the key or the pointer; `.unavailable` if memory is exhausted; `.closed`.
  public func bind(_ key: String, _ pointer: String = "") throws(RemoraError) -> BoundKey {
    _ = try snapshot  // Throws if the source is closed.
    return try call(of: label) { () throws(Remora.RemoraError) in
      for (text, name) in [(key, "key"), (pointer, "pointer")] where text.utf8.contains(0) {
        throw .invalidArgument(name, "contains U+0000")
      }
      return BoundKey(try core.bind(key, pointer.isEmpty ? nil : pointer), of: self, key, pointer)
    }
  }
}
