// SPDX-License-Identifier: Apache-2.0
//
// The names of files in a storage directory, written and read back in this file only.
// Invariant: a name is hexadecimal digits and a fixed suffix; text from outside never becomes part of a path.

/// The name that the files of one source, or of one server, share: 32 lower-case hexadecimal digits.
package struct StorageName: Hashable, Sendable {
  /// The digits.
  package let hex: String
  /// The byte of the lock file that stands for this name.
  package let lockByte: Int64

  /// Names what an identity text stands for.
  package init(hashing identity: String) {
    var text = identity
    self.init(digits: text.withUTF8 { hash128Hex(UnsafeRawBufferPointer($0)) })
  }

  /// Takes digits that `hash128Hex` made; nil when they are anything else.
  package init?(hex32: String) {
    guard isHex(hex32, digits: 32) else { return nil }
    self.init(digits: hex32)
  }

  private init(digits: String) {
    hex = digits
    var text = digits
    lockByte = Int64(text.withUTF8 { hash64(UnsafeRawBufferPointer($0)) } % (1 << 30))
  }

  /// The name whose lock is that of the overrides: a refresh holds the source's own while it waits for a server.
  package var ofOverrides: StorageName { StorageName(hashing: "\(hex).overrides") }

  /// The name whose lock is that of the seed: an installer must not wait for a refresh.
  package var ofSeed: StorageName { StorageName(hashing: "\(hex).seed") }
}

/// Which image of a source.
package enum ImageSlot: String, Sendable, CaseIterable {
  /// The one that readers are given.
  case live
  /// Fetched, and waiting for its activation.
  case staged
  /// The live one before the last change; the answer when live is absent or damaged.
  case previous
}

/// A file of a storage directory, by its meaning.
package enum StoredFile: Hashable, Sendable {
  case image(StorageName, ImageSlot)
  case ledger(StorageName)
  case serverLedger(StorageName)
  /// What the host of a source sets.
  case overrides(StorageName)
  /// What an installer put there for the next opening: an image.
  case seed(StorageName)
  /// An image that is being written; `nonce` makes the name unpredictable.
  case temporary(StorageName, nonce: String)
  /// An attachment, verified and whole.
  case attachment(AttachmentName)
  /// The bytes of an attachment that have come so far.
  case part(AttachmentName)
  case lock
  /// The secret that seeds the hash tables of images.
  case hashSeed

  /// A temporary file with a name that nobody can have planted.
  static func newTemporary(_ name: StorageName, _ calls: SystemCalls = .real) -> StoredFile {
    .temporary(name, nonce: paddedHex(calls.randomNumber()))
  }

  /// The meaning of a file name; nil when it is none of ours.
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

  /// The name inside the directory.
  package var fileName: String {
    switch self {
    case .image(let name, let slot): "\(name.hex).\(slot.rawValue)"
    case .ledger(let name): "\(name.hex).ledger"
    case .serverLedger(let name): "server-\(name.hex).ledger"
    case .overrides(let name): "\(name.hex).overrides"
    case .seed(let name): "\(name.hex).seed"
    case .temporary(let name, let nonce): "\(name.hex).\(nonce).tmp"
    case .attachment(let name): "\(name.hex).attachment"
    case .part(let name): "\(name.hex).part"
    case .lock: "lock"
    case .hashSeed: "hash-seed"
    }
  }
}

/// Whether a text is so many lower-case hexadecimal digits.
func isHex(_ text: String, digits: Int) -> Bool {
  text.utf8.count == digits && text.utf8.allSatisfy("0123456789abcdef".utf8.contains)
}

private func paddedHex(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
