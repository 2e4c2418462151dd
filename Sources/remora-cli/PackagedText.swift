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
    "\(counted(snapshot.count, "record")) of \(bucket)/\(collection) at version \(version)"
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
    try text.appendCanonical(text: bucket)
    try text.append(",\"id\":")
    try text.appendCanonical(text: collection)
    if let signature {
      try text.append(",\"signatures\":[")
      try text.append(packaged: signature)
      try text.append("]")
    }
    try text.append("},\n\"timestamp\":")
    try text.appendCanonical(version)
    try text.append("}\n")
    return Array(text.bytes)
  }
}
