// SPDX-License-Identifier: Apache-2.0
//
// Why a read returns its value.

internal import Remora

/// The reason why a read returns its value. The `description` is text for people, up to 80 columns wide.
public struct Explanation: Hashable, Sendable, CustomStringConvertible {
  /// A set of values, such as the overrides, that has a value at the place, or hides it.
  public struct Layer: Hashable, Sendable {
    /// The name of the layer: `"override"`, `"hidden"` (by a filter), `"live"`, `"carried_over"` (from an earlier
    /// bundle), `"default"`, `"packaged"`, `"staged"`, `"previous"` or `"rejected"` (by the program). Later versions
    /// may add layers.
    public let name: String
    /// The canonical JSON of the layer's value; nil if it has no value at the place.
    public let json: String?
    /// Why the layer hides the key, or the places of overrides inside the value; otherwise nil.
    public let reason: String?
    /// Whether this layer decides what reads return: its value, or no value.
    public let wins: Bool
    /// The version of the layer's data; nil for a layer that is not a version of the data, such as overrides.
    public let version: Int64?
    /// The time at which the layer's data was fetched, in milliseconds since 1970; nil if not fetched.
    public let fetchedAtMs: Int64?
    /// Whether the signature of the layer's data was verified; nil if `version` is nil.
    public let isVerified: Bool?
  }

  /// The key.
  public let key: String
  /// The JSON Pointer into the value of the key; empty for the whole value.
  public let pointer: String
  /// The canonical JSON of the value that reads return; nil if there is no value.
  public let json: String?
  /// Why there is no value, or that the value is null; otherwise nil.
  public let reason: String?
  /// The layers that have a value at the place, or hide it, the highest precedence first. But if the key is hidden, the
  /// layer `hidden` wins over an override.
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
  /// Returns why reads return their value for a key: the layers that have a value or hide it, the layer that wins, and
  /// why there is no value. Use it for debug pages and logs. The key need not exist.
  ///
  ///     print(try await settings.explain("limits", at: "/max_uploads"))
  ///
  /// May wait for files, outside the pool of Swift's tasks. Not interrupted by cancellation of the task.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - pointer: JSON Pointer to the place in the value; empty for the whole value.
  /// - Throws: `.invalidArgument` for a malformed pointer; `.tooLarge`; `.closed`.
  public func explain(_ key: String, at pointer: String = "") async throws(RemoraError) -> Explanation {
    try await change { core throws(Remora.RemoraError) in
      Explanation(try core.explain(Array(key.utf8), Array(pointer.utf8)))
    }
  }
}
