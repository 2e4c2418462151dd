// SPDX-License-Identifier: Apache-2.0
//
// The two forms of an explanation: JSON for programs and logs, and a screen of 80 columns for people.

extension Explanation {
  /// Returns the explanation as JSON text in one line. Its members are part of the API: see `remora_explain`.
  package func json() throws(RemoraError) -> [UInt8] {
    var layers: [[UInt8]] = []
    for layer in self.layers { layers.append(try layer.json()) }
    var object = CanonicalObject()
    try object.set("key", string: key)
    object.set("layers", [UInt8(ascii: "[")] + layers.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
    try object.set("pointer", string: pointer)
    try object.set("reason", optional: reason)
    try object.set("type", string: type.map { "\($0.word)" } ?? "none")
    object.set("value", value ?? CanonicalObject.null)
    return try object.text
  }

  /// Returns the explanation for people, in lines of at most 80 columns unless a name is longer.
  package var screen: String {
    let place = pointer.isEmpty ? shown(key) : "\(shown(key)) \(shown(pointer))"
    var lines = ["\(place): \(cut(value ?? Array("no value".utf8), to: 78 - min(place.count, 40)))"]
    if let reason { lines.append("  \(reason)") }
    if !layers.isEmpty { lines.append("") }
    for layer in layers {
      let name = layer.kind.rawValue.split(separator: "_").joined(separator: " ")
      let value = layer.value.map { cut($0, to: Self.width - Self.indent) }
      let mark = "\(layer.wins ? "*" : " ") \(padded(name, to: Self.indent - 2))"
      let reason = layer.reason.map { folded($0, to: Self.width - Self.indent) } ?? []
      let texts = [value].compactMap(\.self) + reason
      lines.append(mark + (texts.first ?? "nothing at this place"))
      lines += texts.dropFirst().map { padded("", to: Self.indent) + $0 }
      if let image = layer.image { lines.append(padded("", to: Self.indent) + facts(of: image)) }
    }
    return lines.map { "\($0)\n" }.joined()
  }

  /// The columns of a terminal.
  private static var width: Int { 80 }
  /// The columns before the values.
  private static var indent: Int { 15 }

  private func facts(of image: ImageMetadata) -> String {
    let age = image.isPackaged ? "shipped with the host" : "fetched \(relativeText(image.fetchedAtMs, nowMs: nowMs))"
    return "version \(image.version), \(age), \(image.isVerified ? "verified" : "not verified")"
  }
}

/// Returns the beginning of a text that fits into so many columns.
private func cut(_ text: [UInt8], to columns: Int) -> String {
  let whole = printable(String(decoding: text.prefix(4 * columns), as: UTF8.self))
  return whole.count <= columns && text.count <= 4 * columns ? whole : "\(whole.prefix(columns - 1))…"
}

private func padded(_ text: String, to columns: Int) -> String {
  text + String(repeating: " ", count: max(0, columns - text.count))
}

extension CanonicalObject {
  fileprivate mutating func set(_ name: String, optional text: String?) throws(RemoraError) {
    if let text { try set(name, string: text) } else { set(name, Self.null) }
  }
}

extension Explanation.Layer {
  fileprivate func json() throws(RemoraError) -> [UInt8] {
    var object = CanonicalObject()
    try object.set("layer", string: kind.rawValue)
    try object.set("reason", optional: reason)
    object.set("value", value ?? CanonicalObject.null)
    object.set("wins", wins)
    if let image {
      object.set("fetched_at_ms", image.fetchedAtMs)
      object.set("verified", image.isVerified)
      object.set("version", image.version)
    }
    return try object.text
  }
}
