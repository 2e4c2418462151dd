// SPDX-License-Identifier: Apache-2.0
//
// Why a read returns its value.

internal import Remora

/// Why a read returns its value. Its `description` has lines of up to 80 columns for people.
public struct Explanation: Hashable, Sendable, CustomStringConvertible {
  /// One layer that has a value at the place, or hides it.
  public struct Layer: Hashable, Sendable {
    /// The name of the layer: `"override"`, `"hidden"`, `"live"`, `"carried_over"`, `"default"`, `"packaged"`,
    /// `"staged"` or `"previous"`. Later versions may add layers.
    public let name: String
    /// The canonical JSON of the layer's value; nil if it has no value at the place.
    public let json: String?
    /// Why the layer hides the key, or at which places in the value overrides are; otherwise nil.
    public let reason: String?
    /// Whether reads return the value of this layer, or nothing because of it.
    public let wins: Bool
    /// The version of the layer's data; nil for a layer that is not a version of the data, such as overrides.
    public let version: Int64?
    /// The time at which this version was fetched, in milliseconds since 1970; nil if it was not fetched.
    public let fetchedAtMs: Int64?
    /// Whether the signature of this version was verified; nil if `version` is nil.
    public let isVerified: Bool?
  }

  /// The key.
  public let key: String
  /// The JSON Pointer into the value of the key; empty for the whole value.
  public let pointer: String
  /// The canonical JSON of the value that reads return; nil if there is no value.
  public let json: String?
  /// Why there is no value, or that it is null; otherwise nil.
  public let reason: String?
  /// The layers that have a value at the place, or hide it. The highest is the first.
  public let layers: [Layer]
  public let description: String

  init(_ explanation: Remora.Explanation) {
    key = String(decoding: explanation.key, as: UTF8.self)
    pointer = String(decoding: explanation.pointer, as: UTF8.self)
    json = explanation.value.map { String(decoding: $0, as: UTF8.self) }
    reason = explanation.reason
    layers = explanation.layers.map { Layer($0) }
    description = explanation.screen
  }
}

extension Explanation.Layer {
  fileprivate init(_ layer: Remora.Explanation.Layer) {
    self.init(
      name: layer.kind.rawValue, json: layer.value.map { String(decoding: $0, as: UTF8.self) }, reason: layer.reason,
      wins: layer.wins, version: layer.image?.version,
      fetchedAtMs: layer.image.flatMap { $0.fetchedAtMs == 0 ? nil : $0.fetchedAtMs },
      isVerified: layer.image?.isVerified)
  }
}

extension Source {
  /// Explains why reads return their value for a key, for debug pages and logs: the layers that have a value or hide it,
  /// the layer that wins, and why there is no value. A key that does not exist is explained too.
  ///
  ///     print(try await settings.explain("limits", at: "/max_uploads"))
  ///
  /// May wait for files, outside the pool of Swift's tasks. Not interrupted by cancellation of the task.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - pointer: JSON Pointer to the place in its value; empty for the whole value.
  /// - Throws: `.invalidArgument` for a malformed pointer; `.tooLarge`; `.closed`.
  public func explain(_ key: String, at pointer: String = "") async throws(RemoraError) -> Explanation {
    try await change { core throws(Remora.RemoraError) in
      Explanation(try core.explain(Array(key.utf8), Array(pointer.utf8)))
    }
  }
}
