// SPDX-License-Identifier: Apache-2.0
//
// Overrides: values of the host that hide all other values.

internal import Remora

/// A value that the host has set.
public struct Override: Hashable, Sendable {
  public let key: String
  /// The JSON Pointer of its place in the value of the key; empty for the whole value.
  public let pointer: String
  /// The canonical JSON of the value.
  public let json: String
}

extension Source {
  /// Sets an override: a value that hides every other value at its place, until it is cleared or the source is closed.
  /// It is live when this function returns. Stored, if the source was opened with `persistOverrides`.
  ///
  /// May wait for files, outside the pool of Swift's tasks. Not interrupted by cancellation of the task.
  ///
  /// - Parameter ifExists: Whether to set the override only if the source has data for the key. A key that consists of
  ///   overrides only counts as missing.
  /// - Throws: `.invalidArgument`; `.wrongType` if a value on the path of the pointer is not an object; `.notFound` if
  ///   the key must exist; `.tooLarge`; `.closed`.
  public func setOverride(
    _ key: String, _ pointer: String = "", to value: JSONValue, ifExists: Bool = false
  ) async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in
      let override = try Remora.Override(
        key: requiredKey(key), pointer: Array(pointer.utf8), json: Array(value.description.utf8))
      try core.set(override, ifExists: ifExists)
    }
  }

  /// Clears the overrides at a place and inside it. Waits as `setOverride` does.
  ///
  /// - Throws: `.notFound` if there is none; `.invalidArgument` for the key or pointer; `.closed`.
  public func clearOverride(_ key: String, _ pointer: String = "") async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in
      try core.clearOverride(requiredKey(key), Array(pointer.utf8))
    }
  }

  /// Clears all overrides of the source. Waits as `setOverride` does.
  ///
  /// - Throws: `.closed`.
  public func clearOverrides() async throws(RemoraError) {
    try await change { core throws(Remora.RemoraError) in try core.clearOverrides() }
  }

  /// Returns the overrides of the source, in the order in which they were set.
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
