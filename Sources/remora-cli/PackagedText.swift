// SPDX-License-Identifier: Apache-2.0
//
// The text of packaged data. It is a pure function of the records, the timestamp and the signature, so that a file
// changes only if they do. Each record is on its own line, so that a diff shows the changed records.

internal import Remora

/// The content of packaged data.
struct PackagedText {
  let snapshot: Snapshot
  let bucket: String
  let collection: String
  /// The verified signature with its chain; nil if nothing was verified.
  let signature: ContentSignature?

  var version: Int64 { snapshot.base.metadata.version }

  /// The description in messages.
  var description: String {
    "\(snapshot.count) records of \(bucket)/\(collection) at version \(version)"
  }

  /// Returns the bytes of the file.
  func bytes() throws(RemoraError) -> [UInt8] {
    var text = ByteBuffer()
    try text.append("{\"data\":[")
    for index in 0..<snapshot.count {
      guard let entry = snapshot.reader.pointee.entry(at: index) else { continue }
      try text.append(index == 0 ? "\n" : ",\n")
      try text.appendCanonical(entry.value)
    }
    try text.append("\n],\n\"metadata\":{\"bucket\":")
    try append(bucket, to: &text)
    try text.append(",\"id\":")
    try append(collection, to: &text)
    if let signature {
      try text.append(",\"signatures\":[{\"chain\":")
      // A chain may contain any bytes between and after the certificates.
      try append(String(decoding: signature.chain, as: UTF8.self), to: &text)
      for (name, value) in [("mode", signature.mode), ("signature", signature.signature), ("x5u", signature.x5u)] {
        try text.append(",\n")
        try append(name, to: &text)
        try text.append(":")
        try append(value, to: &text)
      }
      try text.append("}]")
    }
    try text.append("},\n\"timestamp\":")
    try text.appendCanonical(version)
    try text.append("}\n")
    return Array(text.bytes)
  }

  private func append(_ string: String, to text: inout ByteBuffer) throws(RemoraError) {
    try string.withBytes { bytes throws(RemoraError) in try text.appendCanonical(string: bytes) }
  }
}
