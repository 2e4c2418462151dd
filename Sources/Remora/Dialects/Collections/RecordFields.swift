// SPDX-License-Identifier: Apache-2.0
//
// What a record says of its own: its members but those that the protocol gives a meaning in every collection.

extension ByteBuffer {
  /// Appends what a record says beside what every record has, as one canonical JSON object.
  package mutating func appendCanonicalFields(of record: Value) throws(RemoraError) {
    try append(UInt8(ascii: "{"))
    let start = count
    for index in 0..<record.count {
      guard let (name, value) = record.member(at: index), !isOfEveryRecord(name) else { continue }
      if count > start { try append(UInt8(ascii: ",")) }
      try appendCanonical(string: name)
      try append(UInt8(ascii: ":"))
      try appendCanonical(value)
    }
    try append(UInt8(ascii: "}"))
  }
}

/// Whether a member is one that the protocol gives a meaning in every collection.
private func isOfEveryRecord(_ name: UnsafeRawBufferPointer) -> Bool {
  name.elementsEqual("id".utf8) || name.elementsEqual("last_modified".utf8) || name.elementsEqual("attachment".utf8)
}
