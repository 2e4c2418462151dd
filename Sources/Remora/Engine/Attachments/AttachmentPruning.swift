// SPDX-License-Identifier: Apache-2.0
//
// Which attachments are still wanted: those that a record names, in an image of the directory or in a source that is open.

/// Removes what nobody uses from the storage directory of a client.
final class StorageSweep: Sendable {
  private let services: ClientServices
  /// When the directory was cleaned last.
  let sweptAtMs = Confined<Int64?>(nil)

  init(_ services: ClientServices) { self.services = services }

  /// Removes what nobody uses; once in a day. By the system's clock, which stamps the files; when it is due is the
  /// client's clock's business.
  ///
  /// - Parameter openImages: Returns the images that are in use.
  func runIfDue(openImages: () -> [Image], _ right: borrowing Exclusive) {
    let now = services.options.clock.nowMs
    if let last = sweptAtMs.read(right, \.self), (now &- last).magnitude < dayMs.magnitude { return }
    sweptAtMs.set(right, \.self, to: now)
    guard let storage = services.storage else { return }
    let sweep = DirectorySweep(storage)
    sweep.run(nowMs: storage.nowMs)
    sweep.runAttachments(keeping: { namedAttachments(in: storage, and: openImages()) }, nowMs: storage.nowMs)
  }

  /// The attachments that records name; nil when that cannot be told, because an image cannot be read.
  private func namedAttachments(in storage: StorageDirectory, and images: [Image]) -> Set<AttachmentName>? {
    var names: Set<AttachmentName> = []
    for image in images { names.formUnion(image.namedAttachments) }
    for (name, slot) in storage.storedImages() {
      do throws(RemoraError) {
        guard let buffer = try storage.readImage(name, slot) else { continue }
        names.formUnion(try Image(buffer).namedAttachments)
      } catch {
        // Nobody will ever read a damaged image; any other may be read again.
        guard error.code == .corrupt else { return nil }
      }
    }
    return names
  }
}

extension Image {
  /// The attachments of its records.
  fileprivate var namedAttachments: Set<AttachmentName> {
    let reader = reader(over: nil)
    var names: Set<AttachmentName> = []
    for index in 0..<reader.count {
      guard let entry = reader.entry(at: index) else { continue }
      if let digits = AttachmentMetadata.sha256(ofRecord: entry.value), let name = AttachmentName(hex64: digits) {
        names.insert(name)
      }
    }
    return names
  }
}
