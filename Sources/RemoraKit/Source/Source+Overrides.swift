// SPDX-License-Identifier: Apache-2.0
//
// Overrides: values of the program that take precedence over all other values.

internal import Remora

/// An override: a value that the program has set in place of a fetched value.
public struct Override: Hashable, Sendable {
  /// The key.
  public let key: String
  /// The JSON Pointer to the overridden part of the value of the key; empty for the whole value.
  public let pointer: String
  /// The canonical JSON of the value.
  public let json: String
}

extension Source {
  /// Sets an override: a value that takes precedence over the fetched value until the override is cleared or the source
  /// is closed. When this function returns, the value is live. With `persistOverrides`, the override is stored, and
  /// restored at the next opening.
  ///
  ///     try await settings.setOverride("limits", "/max_uploads", to: 50)
  ///     try await settings.setOverride("banner", to: nil)  // JSON null: reads find no value
  ///
  /// May wait for files, outside the pool of Swift's tasks. Not interrupted by cancellation of the task.
  ///
  /// - Parameters:
  ///   - key: The key, 1 to 65,535 bytes. It is created if it does not exist.
  ///   - pointer: JSON Pointer to the place in the value, through objects only; empty for the whole value.
  ///   - value: The value, with at most 1 MiB of JSON text. Its depth plus the number of names in `pointer` is at most
  ///     64.
  ///   - ifExists: Whether to set the override only if the source has data for the key. A key with overrides but no
  ///     data counts as missing. Default: false.
  /// - Throws: `.invalidArgument`; `.wrongType` if a value on the path of the pointer is not an object; `.notFound` if
  ///   the key must exist; `.tooLarge` for more than 10,000 overrides; `.corrupt`; `.closed`.
  public func setOverride(
    _ key: String, _ pointer: String = "", to value: JSONValue, ifExists: Bool = false
  ) async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in
      let override = try Remora.Override(
        key: requiredKey(key), pointer: Array(pointer.utf8), json: Array(value.description.utf8), as: "value")
      try core.set(override, ifExists: ifExists)
    }
  }

  /// Sets an override to a boolean; see the function with a `JSONValue`.
  public func setOverride(
    _ key: String, _ pointer: String = "", to value: Bool, ifExists: Bool = false
  ) async throws(RemoraError) {
    try await setOverride(key, pointer, to: .bool(value), ifExists: ifExists)
  }

  /// Sets an override to an integer; see the function with a `JSONValue`.
  public func setOverride(
    _ key: String, _ pointer: String = "", to value: Int, ifExists: Bool = false
  ) async throws(RemoraError) {
    try await setOverride(key, pointer, to: .int(Int64(value)), ifExists: ifExists)
  }

  /// Sets an override to a number, which must be finite; see the function with a `JSONValue`.
  public func setOverride(
    _ key: String, _ pointer: String = "", to value: Double, ifExists: Bool = false
  ) async throws(RemoraError) {
    try await setOverride(key, pointer, to: .double(value), ifExists: ifExists)
  }

  /// Sets an override to a string; see the function with a `JSONValue`.
  public func setOverride(
    _ key: String, _ pointer: String = "", to value: String, ifExists: Bool = false
  ) async throws(RemoraError) {
    try await setOverride(key, pointer, to: .string(value), ifExists: ifExists)
  }

  /// Clears the override at `pointer` in the key's value, and all overrides inside this place. May wait, like
  /// `setOverride`.
  ///
  /// - Throws: `.notFound` if the place has no override; `.invalidArgument` for the key or pointer; `.closed`.
  public func clearOverride(_ key: String, _ pointer: String = "") async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in
      try core.clearOverride(requiredKey(key), Array(pointer.utf8))
    }
  }

  /// Clears all overrides of the source. May wait, like `setOverride`.
  ///
  /// - Throws: `.closed`.
  public func clearOverrides() async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in try core.clearOverrides() }
  }

  /// Returns the overrides of the source, sorted by the bytes of the key, then of the pointer.
  ///
  /// - Throws: `.closed`.
  public func overrides() throws(RemoraError) -> [Override] {
    try call(of: label) { () throws(Remora.RemoraError) in try core.overrides().all }.map { override in
      Override(
        key: String(decoding: override.key, as: UTF8.self), pointer: String(decoding: override.pointer, as: UTF8.self),
        json: String(decoding: override.json, as: UTF8.self))
    }
  }
}

/// Checks a key that will be stored. Returns its bytes.
private func requiredKey(_ key: String) throws(Remora.RemoraError) -> [UInt8] {
  try requireKeyLength(key.utf8.count)
  return Array(key.utf8)
}
