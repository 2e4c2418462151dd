// SPDX-License-Identifier: Apache-2.0
//
// The fields of a record: its members without those that the protocol defines for every collection.

extension ByteBuffer {
  /// Appends the fields of a record as one canonical JSON object.
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

/// Whether the protocol defines a member of this name for every collection.
private func isOfEveryRecord(_ name: UnsafeRawBufferPointer) -> Bool {
  name.elementsEqual("id".utf8) || name.elementsEqual("last_modified".utf8) || name.elementsEqual("attachment".utf8)
}
