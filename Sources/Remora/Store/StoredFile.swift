// SPDX-License-Identifier: Apache-2.0
//
// The files of a storage directory, with their names; only this file writes and parses names of files.
// Invariant: a name consists of hexadecimal digits and a fixed suffix.

/// The role of a source's image.
package enum ImageSlot: String, Sendable, CaseIterable {
  case live
  /// Fetched, and not yet activated.
  case staged
  /// An image that was live before; used if there is no live one, or it is damaged.
  case previous
  /// The newest image that a host rejected; never read as data.
  case rejected
}

package enum StoredFile: Hashable, Sendable {
  case image(StorageName, ImageSlot)
  case ledger(StorageName)
  case serverLedger(StorageName)
  /// The overrides that the host has set.
  case overrides(StorageName)
  /// An image that an installer stored for the next opening.
  case seed(StorageName)
  /// The image of packaged data; `digest` identifies the data and the library version.
  case packaged(StorageName, digest: String)
  /// An image that is being written; `nonce` makes the name unpredictable.
  case temporary(StorageName, nonce: String)
  /// A complete, verified attachment.
  case attachment(AttachmentName)
  /// The bytes of an attachment that were received so far.
  case part(AttachmentName)
  case lock
  /// The secret seed of the hash tables in images.
  case hashSeed

  /// Creates a temporary file name that cannot be predicted.
  static func newTemporary(_ name: StorageName, _ calls: SystemCalls = .real) -> StoredFile {
    .temporary(name, nonce: paddedHex(calls.randomNumber()))
  }

  /// Parses a file name; nil if it is not one of Remora's.
  package init?(fileName: String) {
    let parts = fileName.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if fileName == StoredFile.lock.fileName {
      self = .lock
    } else if fileName == StoredFile.hashSeed.fileName {
      self = .hashSeed
    } else if parts.count == 2, parts[1] == "ledger", parts[0].hasPrefix("server-"),
      let server = StorageName(hex32: String(parts[0].dropFirst("server-".count)))
    {
      self = .serverLedger(server)
    } else if let first = parts.first, let name = StorageName(hex32: first) {
      if parts.count == 2, parts[1] == "ledger" {
        self = .ledger(name)
      } else if parts.count == 2, let slot = ImageSlot(rawValue: parts[1]) {
        self = .image(name, slot)
      } else if parts.count == 2, parts[1] == "overrides" {
        self = .overrides(name)
      } else if parts.count == 2, parts[1] == "seed" {
        self = .seed(name)
      } else if parts.count == 3, parts[2] == "packaged", isHex(parts[1], digits: 32) {
        self = .packaged(name, digest: parts[1])
      } else if parts.count == 3, parts[2] == "tmp", isHex(parts[1], digits: 16) {
        self = .temporary(name, nonce: parts[1])
      } else {
        return nil
      }
    } else if parts.count == 2, isHex(parts[0], digits: 64), let name = AttachmentName(hex64: parts[0]) {
      switch parts[1] {
      case "attachment": self = .attachment(name)
      case "part": self = .part(name)
      default: return nil
      }
    } else {
      return nil
    }
  }

  /// The name of the file in the directory.
  package var fileName: String {
    switch self {
    case .image(let name, let slot): "\(name.hex).\(slot.rawValue)"
    case .ledger(let name): "\(name.hex).ledger"
    case .serverLedger(let name): "server-\(name.hex).ledger"
    case .overrides(let name): "\(name.hex).overrides"
    case .seed(let name): "\(name.hex).seed"
    case .packaged(let name, let digest): "\(name.hex).\(digest).packaged"
    case .temporary(let name, let nonce): "\(name.hex).\(nonce).tmp"
    case .attachment(let name): "\(name.hex).attachment"
    case .part(let name): "\(name.hex).part"
    case .lock: "lock"
    case .hashSeed: "hash-seed"
    }
  }
}

private func paddedHex(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
