// SPDX-License-Identifier: Apache-2.0
//
// The file that keeps compiled packaged data for the next opening: the image, then the signatures with their chains as
// packaged data without records (nothing if there are none), then the checksum of the signatures.
// Invariant: a file never makes data verified, fetched or newer: such an image is refused.

extension PackagedImage {
  /// Returns the parts of the file, in order.
  package func fileParts() throws(RemoraError) -> [ImageBuffer] {
    var end = ByteBuffer()
    if !signatures.isEmpty {
      try end.append("{\"data\":[],\"timestamp\":0,\"metadata\":{\"signatures\":[")
      for (index, signature) in signatures.enumerated() {
        if index > 0 { try end.append(",") }
        try end.append(packaged: signature)
      }
      try end.append("]}}")
    }
    let checksum = checksum64(end.bytes)
    try end.appendZeros(MemoryLayout<UInt64>.size)
    end.patch(checksum, at: end.count &- MemoryLayout<UInt64>.size)
    return [image.buffer, try end.intoImageBuffer()]
  }

  /// Checks the content of a file; the image refers to its memory.
  ///
  /// - Parameter identity: The source whose packaged data it must be.
  /// - Throws: `.corrupt` with the check that failed.
  package init(file: ImageBuffer, of identity: String) throws(RemoraError) {
    guard let length = ImageFormat.statedLength(of: file.bytes), let buffer = file.prefix(length) else {
      throw Self.corrupt("is truncated")
    }
    image = try Image(buffer)
    let metadata = image.metadata
    guard metadata.identity == identity, metadata.isOnHostsWord, metadata.epoch == 0, metadata.generation == 0 else {
      throw Self.corrupt("is not packaged data of this source")
    }
    let end = UnsafeRawBufferPointer(rebasing: file.bytes[length...])
    let textCount = end.count &- MemoryLayout<UInt64>.size
    guard textCount >= 0 else { throw Self.corrupt("has no signatures") }
    let text = UnsafeRawBufferPointer(rebasing: end[..<textCount])
    guard end.loadUnaligned(fromByteOffset: textCount, as: UInt64.self) == checksum64(text) else {
      throw Self.corrupt("has damaged signatures")
    }
    signatures = text.isEmpty ? [] : try decodeCollection(text, .packaged, named: "the stored signatures").signatures
    withExtendedLifetime(file) {}
  }

  private static func corrupt(_ problem: String) -> RemoraError { RemoraError(.corrupt, "the stored file \(problem)") }
}

extension ByteBuffer {
  /// Appends a signature with its chain, in the form of packaged data.
  package mutating func append(packaged signature: ContentSignature) throws(RemoraError) {
    try append("{\"chain\":")
    // A chain may contain any bytes between and after the certificates.
    try appendCanonical(text: String(decoding: signature.chain, as: UTF8.self))
    for (name, value) in [("mode", signature.mode), ("signature", signature.signature), ("x5u", signature.x5u)] {
      try append(",\n")
      try appendCanonical(text: name)
      try append(":")
      try appendCanonical(text: value)
    }
    try append("}")
  }

  /// Appends a text as a JSON string.
  package mutating func appendCanonical(text: String) throws(RemoraError) {
    try text.withBytes { bytes throws(RemoraError) in try appendCanonical(string: bytes) }
  }
}
