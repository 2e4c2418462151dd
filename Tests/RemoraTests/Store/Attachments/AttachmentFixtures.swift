// SPDX-License-Identifier: Apache-2.0
//
// Attachments, and shortcuts that their suites share.

import Testing

@testable import Remora

/// The names of two attachments; what their bytes hash to is the engine's concern.
let logo = attachmentName(0xAB)
let photo = attachmentName(0xCD)

private func attachmentName(_ byte: UInt8) -> AttachmentName {
  guard let name = AttachmentName(digest: [UInt8](repeating: byte, count: 32)) else {
    preconditionFailure("32 bytes are a digest")
  }
  return name
}

extension StorageDirectory {
  /// The lock of an attachment that nobody else holds.
  func locked(_ name: AttachmentName) throws -> SourceLock { try locked(name.storageName) }

  /// The bytes of a stored attachment.
  func attachment(_ name: AttachmentName = logo, bytes: Int = 3000) throws -> ImageBytes? {
    try openAttachment(name, bytes: bytes).map { ImageBytes($0.bytes) }
  }

  /// Stores an attachment as a download does.
  func store(_ image: ImageBytes, as name: AttachmentName = logo) throws {
    let lock = try locked(name)
    let part = try lock.openPart(name)
    try part.append(image.bytes[...])
    try lock.install(part)
    lock.unlock()
  }
}

extension PartFile {
  /// Writes bytes behind the last one.
  func append(_ bytes: ArraySlice<UInt8>) throws {
    let answer = bytes.withUnsafeBytes { write($0, at: count) }
    if answer < 0 { throw RemoraError.storage("write", path, errno: -answer) }
  }

  /// What is there.
  var bytes: ImageBytes {
    get throws { withExtendedLifetime(try load()) { ImageBytes($0.bytes) } }
  }
}
