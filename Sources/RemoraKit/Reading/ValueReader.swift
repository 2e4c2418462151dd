// SPDX-License-Identifier: Apache-2.0
//
// The reads that sources and snapshots share. Each read uses one snapshot.

internal import Remora

/// A source or a snapshot, whose values are read by key and JSON Pointer.
///
/// Reads never wait and never send a request. Two reads of a source may see different versions. A pointer (RFC 6901),
/// such as `"/limits/max"`, leads to a part of the value of its key; the empty pointer is the whole value. Key and
/// pointer together are a *place*.
///
/// Numbers are converted only if the result is exact: `2.0` reads as an integer and `5` as a double, but `1.5` does not
/// read as an integer. A boolean is not a number. Null counts as a missing value.
///
/// After `close` of a source or its client, reads of the source with a default return the default, the subscript
/// returns nil, and other reads throw `.closed`.
public protocol ValueReader: Sendable {
  /// The data to read: the live snapshot of a source, or the snapshot itself.
  ///
  /// - Throws: `.closed` for a closed source.
  var snapshot: Snapshot { get throws(RemoraError) }
}

extension ValueReader {
  /// Returns the value at a place if it is a boolean, otherwise `default`.
  public func bool(_ key: String, _ pointer: String = "", default: Bool) -> Bool {
    read(key, pointer, "a boolean", or: `default`) { $0.bool }
  }

  /// Returns the value at a place if it is exactly an integer, otherwise `default`.
  public func int(_ key: String, _ pointer: String = "", default: Int) -> Int {
    read(key, pointer, "an integer", or: `default`) { $0.exactInt }
  }

  /// Returns the value at a place if it is exactly a double, otherwise `default`.
  public func double(_ key: String, _ pointer: String = "", default: Double) -> Double {
    read(key, pointer, "a number", or: `default`) { $0.double }
  }

  /// Returns the value at a place if it is a string, otherwise `default`.
  public func string(_ key: String, _ pointer: String = "", default: String) -> String {
    read(key, pointer, "a string", or: `default`) { $0.text }
  }

  /// Returns the value at a place if it is a string with an absolute URI of any scheme, otherwise `default`. Check the
  /// scheme before you open the URI.
  public func url(_ key: String, _ pointer: String = "", default: String) -> String {
    read(key, pointer, "a URL", or: `default`) { $0.uri }
  }

  /// Returns the canonical JSON of the value at a place, or `default`, unchanged, if the value is missing or null.
  public func json(_ key: String, _ pointer: String = "", default: String) -> String {
    read(key, pointer, "JSON", or: `default`) { value in
      var text = ByteBuffer()
      guard value.type != .null, (try? text.appendCanonical(value)) != nil else { return nil }
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  /// Returns the boolean at a place.
  ///
  /// - Throws: `.notFound` if the value is missing or null; `.wrongType`; `.invalidArgument` for the pointer;
  ///   `.closed`.
  public func bool(_ key: String, _ pointer: String = "") throws(RemoraError) -> Bool {
    try snapshot.read(key, pointer, "a boolean") { $0.bool }
  }

  /// Returns the integer at a place, such as `5` or `5.0`.
  ///
  /// - Throws: `.notFound` if the value is missing or null; `.wrongType`; `.invalidArgument` for the pointer;
  ///   `.closed`.
  public func int(_ key: String, _ pointer: String = "") throws(RemoraError) -> Int {
    try snapshot.read(key, pointer, "an integer") { $0.exactInt }
  }

  /// Returns the number at a place.
  ///
  /// - Throws: `.notFound` if the value is missing or null; `.wrongType`; `.invalidArgument` for the pointer;
  ///   `.closed`.
  public func double(_ key: String, _ pointer: String = "") throws(RemoraError) -> Double {
    try snapshot.read(key, pointer, "a double") { $0.double }
  }

  /// Returns the string at a place.
  ///
  /// - Throws: `.notFound` if the value is missing or null; `.wrongType`; `.invalidArgument` for the pointer;
  ///   `.closed`.
  public func string(_ key: String, _ pointer: String = "") throws(RemoraError) -> String {
    try snapshot.read(key, pointer, "a string") { $0.text }
  }

  /// Returns the absolute URI at a place, of any scheme.
  ///
  /// - Throws: `.notFound` if the value is missing or null; `.wrongType`; `.invalidArgument` for the pointer;
  ///   `.closed`.
  public func url(_ key: String, _ pointer: String = "") throws(RemoraError) -> String {
    try snapshot.read(key, pointer, "an absolute URI") { $0.uri }
  }

  /// The value of a key, copied; nil if the key does not exist.
  public subscript(key: String) -> JSONValue? {
    (try? snapshot)?.find(key, "") { $0.value.map(JSONValue.init) }
  }

  /// Decodes the value at a place.
  ///
  /// - Throws: `DecodingError`, whose coding path begins with the key: `.keyNotFound` for a missing value,
  ///   `.valueNotFound` for null, `.typeMismatch` for a value of another type, and `.dataCorrupted` for a number that
  ///   is not exactly one of the wanted type, or for an invalid pointer. Also the errors of `init(from:)` of the type.
  ///   `RemoraError.closed` for a closed source.
  public func decode<Decoded: Decodable>(
    _ type: Decoded.Type = Decoded.self, _ key: String, _ pointer: String = ""
  ) throws -> Decoded {
    let snapshot = try snapshot
    return try withExtendedLifetime(snapshot) { try ValueDecoder(in: snapshot, key, pointer).decoded(type) }
  }

  /// Decodes the value at a place. Returns `default` if the value is missing, null, or cannot be decoded as this type.
  public func value<Decoded: Decodable>(_ key: String, _ pointer: String = "", default: Decoded) -> Decoded {
    do { return try decode(Decoded.self, key, pointer) } catch { noteFallback(key, pointer, "of the requested type") }
    return `default`
  }

  /// Returns the canonical JSON of the value at a place, the form that servers sign.
  ///
  /// - Throws: `.notFound`; `.invalidArgument` for the pointer; `.unavailable`; `.closed`.
  public func json(_ key: String, _ pointer: String = "") throws(RemoraError) -> String {
    try snapshot.canonicalText(key, pointer)
  }

  /// Reads the value at a place with `convert`, which returns nil for a value of another type.
  private func read<Answer>(
    _ key: String, _ pointer: String, _ wanted: StaticString, or default: Answer, _ convert: (Value) -> Answer?
  ) -> Answer {
    if let answer = (try? snapshot)?.find(key, pointer, { $0.value.flatMap(convert) }) ?? nil { return answer }
    noteFallback(key, pointer, wanted)
    return `default`
  }

  /// Logs why a read of a source returned its default: at `.warning` if the pointer is malformed, else at `.debug`.
  private func noteFallback(_ key: String, _ pointer: String, _ wanted: StaticString) {
    guard let source = self as? Source else { return }
    key.withCString { key in
      pointer.withCString { source.core.noteFallback(key, $0, wanted: wanted) }
    }
  }
}

extension Snapshot {
  /// Calls `body` with the result of a search. A value that was found is valid until `body` returns.
  func find<Answer>(_ key: String, _ pointer: String, _ body: (Finding) -> Answer) -> Answer {
    key.withBytes { key in
      pointer.withBytes { pointer in
        withExtendedLifetime(core) {
          let reader = core.reader.pointee
          guard pointer.isEmpty else { return body(reader.find(key, at: pointer)) }
          return body(reader.entry(key).map { .found($0.value) } ?? .absent)
        }
      }
    }
  }

  /// Reads the value at a place with `convert`; `wanted` is the requested type with its article.
  fileprivate func read<Answer>(
    _ key: String, _ pointer: String, _ wanted: StaticString, _ convert: (Value) -> Answer?
  ) throws(RemoraError) -> Answer {
    try find(key, pointer) { found -> Result<Answer, RemoraError> in
      if let value = found.value, value.type != .null, let answer = convert(value) { return .success(answer) }
      return .failure(found.failure(at: key, pointer, wanted: wanted))
    }.get()
  }

  fileprivate func canonicalText(_ key: String, _ pointer: String) throws(RemoraError) -> String {
    try find(key, pointer) { found -> Result<String, RemoraError> in
      guard let value = found.value else { return .failure(found.failure(at: key, pointer, wanted: "a value")) }
      var text = ByteBuffer()
      do throws(Remora.RemoraError) {
        try text.appendCanonical(value)
        return .success(String(decoding: text.bytes, as: UTF8.self))
      } catch {
        return .failure(RemoraError(error, of: nil))
      }
    }.get()
  }
}

extension Finding {
  /// Returns the reason a read of a place failed.
  fileprivate func failure(at key: String, _ pointer: String, wanted: StaticString) -> RemoraError {
    let error = key.withBytes { key in pointer.withBytes { failure(at: key, $0, wanted: wanted) } }
    return RemoraError(error, of: nil)
  }
}

extension Value {
  /// The integer; nil if the value is not exactly an integer.
  fileprivate var exactInt: Int? { int.flatMap(Int.init(exactly:)) }

  /// The string; nil if the value is not an absolute URI.
  fileprivate var uri: String? { url.map { String(decoding: $0, as: UTF8.self) } }
}
