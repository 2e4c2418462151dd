// SPDX-License-Identifier: Apache-2.0
//
// What the directory has of a source, as the invariants of rejections see it.

import Remora

/// The image in a file.
struct ReadImage {
  let number: Int64
  let version: Int64
  let stamp: Stamp
}

extension Stamp {
  static let none = ImageFacts(version: 0, checksum: 0).stamp
}

/// The whole images of a source, by their slots.
struct StoredImages {
  var bySlot: [ImageSlot: ReadImage] = [:]

  var text: String {
    let slots = [ImageSlot.live, .staged, .previous, .rejected].filter { bySlot[$0] != nil }
    return slots.map { "\($0) \(bySlot[$0]?.number ?? 0)" }.joined(separator: ", ")
  }

  /// Whether a reader of the files may find a content, if a reset has not discarded it.
  func mayShow(_ number: Int64, epoch: UInt64) -> Bool {
    [ImageSlot.live, .staged, .previous].compactMap { bySlot[$0] }.contains {
      $0.number == number && $0.stamp.epoch >= epoch
    }
  }

  /// The rejected content, if no reset has discarded it.
  func rejected(since epoch: UInt64) -> Int64? {
    bySlot[.rejected].flatMap { $0.stamp.epoch < epoch ? nil : $0.number }
  }

  var newestEpoch: UInt64 { bySlot.values.map(\.stamp.epoch).max() ?? 0 }

  /// The contents that readers find, without those that were rejected. A reset has discarded images of older epochs,
  /// which it could not remove.
  func choice(without rejected: [Int64] = [], since least: UInt64 = 0) -> StoredChoice {
    let epoch = max(least, newestEpoch)
    let unwanted = [self.rejected(since: epoch)].compactMap(\.self) + rejected
    let wanted = { (slot: ImageSlot) in
      bySlot[slot].flatMap { $0.stamp.epoch < epoch || unwanted.contains($0.number) ? nil : $0 }
    }
    let live = wanted(.live) ?? wanted(.previous)
    let staged = wanted(.staged).flatMap { next in live.map { $0.stamp < next.stamp } ?? true ? next : nil }
    return StoredChoice(live: live?.number, staged: staged?.number)
  }
}

struct StoredChoice: Equatable {
  let live: Int64?
  let staged: Int64?
}

extension Invariants {
  /// The number of a content: settings show it, the others have it as their version.
  func number(_ kind: Kind, _ image: Image) -> Int64 {
    guard kind == .settings else { return image.metadata.version }
    if let known = numbers[image.checksum] { return known }
    let number = image.content["n"] ?? -1
    numbers[image.checksum] = number
    return number
  }

  /// Reads the image in a file; nil if the file is damaged.
  func read(_ kind: Kind, _ file: SimulatedFile) -> ReadImage? {
    if let known = file.image { return known }
    guard let image = image(in: file) else { return nil }
    file.image = ReadImage(number: number(kind, image), version: image.metadata.version, stamp: ImageFacts(image).stamp)
    return file.image
  }

  func storedImages(_ kind: Kind, _ name: StorageName) -> StoredImages {
    var found = StoredImages()
    for slot in [ImageSlot.live, .staged, .previous, .rejected] {
      guard let file = world.disk[StoredFile.image(name, slot).fileName] else { continue }
      found.bySlot[slot] = read(kind, file)
    }
    return found
  }
}
