// SPDX-License-Identifier: Apache-2.0
//
// The layout of values in an image. Every offset counts from the structure that has it and points forward, so a
// top-level entry with all its content is one block of bytes that can be copied between images.
//
//   node, 16 bytes      type u8 · flag u8 · 0 u16 · count u32 · payload 8 bytes
//     bool              flag = 0 or 1
//     int, double       payload = the 64 bits
//     string            count = bytes · payload = data u32 (UTF-8 and a NUL) · 0
//     array             count = elements · payload = data u32 (nodes) · text u32
//     object            count = members · payload = data u32 (members) · text u32
//   member, 24 bytes    name u32 · name bytes u32 · node          sorted by the bytes of the name
//   entry, 32 bytes     node · key bytes u32 · entry bytes u32 · origin u32 · position u32, then the key and a NUL
//
// `origin` is 0 except in an overlay. `position` is the position of the key in its document where that is needed, else
// 0. `text` is the canonical JSON of an array or object; nested texts are slices of the top-level text.

/// The JSON types; raw values are those of the image and of the C header.
package enum ValueType: UInt8, Sendable {
  case null = 1
  case bool, int, double, string, array, object

  /// The type's name in messages, with its article.
  package var name: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .int: "an integer"
    case .double: "a double"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// Sizes and field positions of the layout above.
package enum NodeLayout {
  package static let nodeSize = 16
  package static let memberSize = 24
  package static let entrySize = 32

  package static let flag = 1
  package static let count = 4
  package static let payload = 8
  package static let data = 8
  package static let text = 12

  package static let memberNameLength = 4
  package static let memberNode = 8

  package static let entryKeyLength = 16
  package static let entryLength = 20
  package static let entryOrigin = 24
  package static let entryPosition = 28
}
